//! From its second run on, a model with fixed extents on one thread allocates no memory and makes no system call: as an
//! object without a runtime, as a session of the C interface, and as a session in process.

#![allow(unsafe_code, reason = "an allocator that counts, and processes that may not call the system")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use driver::{Backend, Compiler, EngineKind, Input, Options, Session};
use ir::Type;
use tests::linked::{build, run};
use tests::scratch;
use tests::worker::onnxc;

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // a thread that ends has no counter any more
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: promised by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count();
        // SAFETY: promised by the caller.
        unsafe { System.realloc(memory, layout, bytes) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: promised by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const MODEL: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[1,8,32,32] x) => (float[1,10] y, int64[1,1] best) {
    filters = Constant <value_ints = [16, 8, 3, 3]> ()
    w = ConstantOfShape <value = float[1] {0.01}> (filters)
    c = Conv <pads = [1, 1, 1, 1]> (x, w)
    r = Relu (c)
    p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (r)
    f = Flatten (p)
    extents = Constant <value_ints = [4096, 10]> ()
    m = ConstantOfShape <value = float[1] {0.001}> (extents)
    t = MatMul (f, m)
    y = Softmax (t)
    best = ArgMax <axis = 1> (y)
}"#;

const SHAPE: [i64; 4] = [1, 8, 32, 32];

fn model(name: &str) -> PathBuf {
    let path = scratch::folder(name).join("m.onnxtxt");
    std::fs::write(&path, MODEL).expect("the folder takes files");
    path
}

/// A session, its input and its outputs.
struct Steady {
    session: Session,
    x: Vec<u8>,
    y: [u8; 40],
    best: [u8; 8],
}

impl Steady {
    fn new(engine: EngineKind, name: &str) -> Steady {
        let options = Options { threads: 1, engine, backend: Backend::Cranelift, ..Options::default() };
        let compiled =
            Compiler::new(options).compile_file(&model(name)).unwrap_or_else(|errors| panic!("{}", errors[0]));
        compiled.settle().unwrap_or_else(|errors| panic!("{}", errors[0]));
        let numbers = (0..SHAPE.iter().product::<i64>()).map(|at| (at % 23) as f32 / 23.0);
        let x = numbers.flat_map(f32::to_le_bytes).collect();
        Steady { session: Session::new(Arc::new(compiled)), x, y: [0; 40], best: [0; 8] }
    }

    fn run(&mut self) -> bool {
        let inputs = [Input::Elements { element: &Type::F32, shape: &SHAPE, bytes: &self.x }];
        self.session.run_into(&inputs, &mut [&mut self.y, &mut self.best]).is_ok()
    }
}

#[test]
fn a_session_allocates_nothing() {
    for engine in [EngineKind::Plain, EngineKind::FastStart] {
        let mut steady = Steady::new(engine, "steady-memory");
        assert!(steady.run());
        let first = steady.y;
        let before = ALLOCATIONS.get();
        for _ in 0..20 {
            assert!(steady.run());
        }
        assert_eq!(ALLOCATIONS.get() - before, 0, "{engine:?}");
        assert_eq!(steady.y, first);
    }
}

#[test]
fn a_session_of_the_rust_interface_allocates_nothing() {
    let model = onnxc::Model::from_bytes(MODEL).expect("a model");
    let compiled = onnxc::Compiler::builder().threads(1).build().compile(&model).expect("it compiles");
    compiled.wait_until_optimized().expect("it is optimised");
    let (mut session, mut y, mut best) = (compiled.session(), [0.0f32; 10], [0i64]);
    let x = vec![0.5f32; 8 * 32 * 32];
    let inputs = [onnxc::TensorView::from_slice(&SHAPE.map(|extent| extent as usize), &x).expect("it fits").into()];
    let mut run = || session.run_in_order(&inputs, &mut [y.as_mut_slice().into(), best.as_mut_slice().into()]);
    run().expect("the first run");
    let before = ALLOCATIONS.get();
    (0..20).for_each(|_| run().expect("another run"));
    assert_eq!(ALLOCATIONS.get() - before, 0);
}

#[test]
fn memory_for_outputs_is_checked() {
    let mut steady = Steady::new(EngineKind::Plain, "steady-outputs");
    let inputs = [Input::Elements { element: &Type::F32, shape: &SHAPE, bytes: &steady.x }];
    let mut refused = |outputs: &mut [&mut [u8]]| match steady.session.run_into(&inputs, outputs) {
        Ok(()) => String::new(),
        Err(errors) => errors[0].message.clone(),
    };
    assert_eq!(refused(&mut [&mut [0; 40]]), "the model has 2 outputs, and there is memory for 1");
    let few = "output 'y' needs 40 bytes, but the memory passed for it has 39";
    assert_eq!(refused(&mut [&mut [0; 39], &mut [0; 8]]), few);
    assert_eq!(refused(&mut [&mut [0; 40], &mut [0; 8]]), "");
}

/// The signal that ended a child which does this after it gave up all system calls but reading and writing.
fn ended_by(work: impl FnOnce()) -> Option<i32> {
    let mut status = 0;
    // SAFETY: the child only runs code that needs no other thread, and leaves by a system call.
    unsafe {
        match libc::fork() {
            0 => {
                if libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_STRICT) == 0 {
                    work();
                }
                libc::syscall(libc::SYS_exit, 0);
            }
            child => assert_eq!(libc::waitpid(child, &raw mut status, 0), child),
        }
    }
    libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status))
}

#[test]
fn a_session_does_not_call_the_system() {
    if ended_by(|| drop(std::fs::metadata("/"))) != Some(libc::SIGKILL) {
        return tests::skip("processes cannot give up system calls here");
    }
    for engine in [EngineKind::Plain, EngineKind::FastStart] {
        let mut steady = Steady::new(engine, "steady-calls");
        assert!(steady.run());
        assert_eq!(ended_by(|| (0..5).for_each(|_| assert!(steady.run()))), None, "{engine:?}");
    }
}

/// The beginning of a program that gives up system calls. `runs(0)` is false if a run fails or gives another result.
const PRELUDE: &str = r#"
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "model.h"

static float x[8 * 32 * 32], y[10], first[10];
static long allocations;
static int runs(int is_first);

int main(int count, char **arguments) {
    (void)arguments;
    for (int at = 0; at < 8 * 32 * 32; at++) x[at] = (float)(at % 23) / 23.0f;
    if (!runs(1)) return 2;
    long before = allocations;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) return 3;
    if (count > 1) syscall(SYS_getpid);
    for (int round = 0; round < 5; round++) {
        if (!runs(0)) syscall(SYS_exit, 4);
    }
    syscall(SYS_exit, allocations - before == ALLOCATIONS * 5 ? 0 : 5);
}
"#;

/// An object without a runtime.
const STATIC: &str = r#"
static int runs(int is_first) {
    int64_t best;
    const void *inputs[] = {x};
    void *outputs[] = {y, &best};
    if (is_first && model_initialize(NULL, NULL)) return 0;
    if (model_run(inputs, outputs)) return 0;
    if (is_first) memcpy(first, y, sizeof y);
    return memcmp(first, y, sizeof y) == 0;
}
"#;

/// A session of the C interface, whose outputs are the caller's.
const LINKED: &str = r#"
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes) { return allocations++, __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return allocations++, __libc_calloc(count, bytes); }
void *realloc(void *memory, size_t bytes) { return allocations++, __libc_realloc(memory, bytes); }
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    allocations++;
    *memory = __libc_memalign(alignment, bytes);
    return *memory == NULL;
}

static model_session session;

static int runs(int is_first) {
    model_tensor input = {x, {1, 8, 32, 32}}, outputs[2];
    if (is_first) model_set_threads(1);
    if (model_run(&session, &input, outputs)) return 0;
    if (is_first) memcpy(first, outputs[0].data, sizeof first);
    int is_same = memcmp(first, outputs[0].data, sizeof first) == 0;
    model_free(&outputs[0]);
    model_free(&outputs[1]);
    return is_same;
}
"#;

/// Runs a program with a model, if processes can give up system calls here.
fn check(name: &str, options: &[&str], allocations: usize, runs: &str) {
    let compiler = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    let text = format!("#define ALLOCATIONS {allocations}\n{PRELUDE}{runs}");
    let program = build(compiler, &model(&format!("{name}-model")), options, &text, name);
    let control = Command::new(&program).arg("call").status().expect("it starts");
    if control.signal() != Some(libc::SIGKILL) {
        return tests::skip(&format!("processes cannot give up system calls here: {control}"));
    }
    let status = Command::new(&program).status().expect("it starts");
    assert!(status.success(), "{name}: {status}");
}

#[test]
fn an_object_without_a_runtime_does_not_call_the_system() {
    check("steady-static", &["--freestanding"], 0, STATIC);
    let object = scratch::place("steady-static").join("model.o");
    let compiler = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    let said = String::from_utf8(run(Command::new(compiler).arg("inspect").arg(object))).expect("text");
    let calls = said.lines().find_map(|line| line.strip_prefix("calls: ")).expect("it has that line");
    assert!(calls.split(", ").all(|call| ["", "memcpy", "memset"].contains(&call)), "{calls}");
}

#[test]
fn a_session_of_the_c_interface_only_allocates_outputs() {
    check("steady-linked", &[], 2, LINKED);
}
