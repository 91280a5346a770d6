//! Runs, sessions and compilations for minutes: memory and descriptors stay as they are, and results equal. Where the program
//! `onnxc` lies next to this one, LLVM's code takes over during the runs.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use driver::{
    Arithmetic, Blob, CompiledModel, Compiler, ImportOptions, Input, Options, Session, Stop, Tensor, Type, Value,
};
use proto::Model;

/// Threads that make and drop sessions.
const THREADS: usize = 8;
/// The largest growth of memory that is not a leak, in bytes a run.
const RUN_GROWTH: f64 = 1024.0;
/// The same in bytes a compilation: the allocator's heap is fragmented by it.
const COMPILATION_GROWTH: f64 = 16384.0;
/// The part of a phase in which memory may grow.
const WARM: f64 = 0.3;
/// How soon a run ends that is cancelled.
const PATIENCE: Duration = Duration::from_millis(50);

/// A convolution and a contraction of any extents.
const MODEL: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[B,3,H,W] x, float[N,M] a, float[M,N] b) => (float[B,4,H,W] y, float[N,N] c)
    <float[4,3,3,3] w = {WEIGHTS}> {
    s = Conv <pads = [1, 1, 1, 1]> (x, w)
    y = Sigmoid (s)
    d = MatMul (a, b)
    c = Softmax (d)
}"#;

/// A contraction that takes many seconds.
const LONG: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[N,N] a) => (float[N,N] c) { c = MatMul (a, a) }"#;

/// A loop that takes minutes.
const LOOP: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (int64 n, bool go, float[N] a) => (float[N] c) {
    c = Loop (n, go, a) <body = step (int64 i, bool before, float[N] v) => (bool after, float[N] w) {
        after = Identity (before)
        w = Sin (v)
    }>
}"#;

/// Runs, sessions and compilations for minutes.
#[derive(Debug, Parser)]
struct Arguments {
    /// Minutes, in three equal phases.
    #[arg(default_value_t = 20.0)]
    minutes: f64,
}

fn main() -> ExitCode {
    let minutes = Arguments::parse().minutes;
    let phase = Duration::from_secs_f64((minutes * 20.0).max(1.0));
    let descriptors = open_files();
    let mut problems = Vec::new();
    problems.extend(changing_extents(phase));
    problems.extend(sessions_on_threads(phase));
    problems.extend(compilations(phase));
    problems.extend(cancellation("a contraction", LONG, vec![square(8_000)]));
    let scalar = |r#type: Type, bytes: &[u8]| Tensor::new(r#type, vec![], Blob::copy_of(bytes));
    let [n, go] = [scalar(Type::I64, &i64::MAX.to_le_bytes()), scalar(Type::I1, &[1])];
    let row = Tensor::from_f32(&[1 << 20], &vec![0.5; 1 << 20]);
    problems.extend(cancellation("a loop", LOOP, [n, go, row].into_iter().flatten().collect()));
    let left = open_files();
    println!("descriptors: {descriptors} before, {left} after");
    if left > descriptors {
        problems.push(format!("{} descriptors are left", left - descriptors));
    }
    problems.iter().for_each(|problem| println!("problem: {problem}"));
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compiled(text: &str, options: Options) -> Arc<CompiledModel> {
    let model = Model::from_bytes(text.as_bytes()).unwrap_or_else(|damage| panic!("{damage:?}"));
    let compiled = Compiler::new(options).compile_model(&model, None, &ImportOptions::default());
    Arc::new(compiled.unwrap_or_else(|errors| panic!("{}", errors[0])))
}

/// The model with weights of a seed, in one order of arithmetic: results stay equal when LLVM's code takes over from Cranelift's.
fn model(seed: usize) -> Arc<CompiledModel> {
    let weights: Vec<String> =
        (0..108).map(|at| format!("{}", ((at * 7 + seed * 5) % 13) as f32 / 8.0 - 0.75)).collect();
    let options = Options { arithmetic: Arithmetic::Fixed, ..Options::default() };
    compiled(&MODEL.replace("WEIGHTS", &weights.join(", ")), options)
}

/// Inputs whose extents depend on a number.
fn inputs(number: usize) -> Vec<Value> {
    let [batch, height, width] = [1 + number % 3, 1 + number * 7 % 40, 1 + number * 11 % 50];
    let [n, m] = [1 + number * 13 % 60, 1 + number * 17 % 70];
    let filled = |shape: &[usize]| {
        let count = shape.iter().product::<usize>();
        let numbers: Vec<f32> = (0..count).map(|at| (at % 17) as f32 / 16.0 - 0.5).collect();
        let shape: Vec<i64> = shape.iter().map(|&extent| extent as i64).collect();
        Value::from(Tensor::from_f32(&shape, &numbers).expect("it has that size"))
    };
    vec![filled(&[batch, 3, height, width]), filled(&[n, m]), filled(&[m, n])]
}

fn square(extent: usize) -> Tensor {
    Tensor::from_f32(&[extent as i64; 2], &vec![0.5; extent * extent]).expect("it has that size")
}

/// The bytes of all outputs.
fn outputs(session: &mut Session, number: usize) -> Vec<Vec<u8>> {
    let values = session.run_values(&inputs(number)).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let tensors = values.into_iter().filter_map(|value| match value {
        Value::Tensor(tensor) => Some(tensor.data.bytes().to_vec()),
        _ => None,
    });
    tensors.collect()
}

/// Repeats something for a time; the growth of memory in bytes each time after the first ones, and how often.
fn growth(time: Duration, mut once: impl FnMut(usize)) -> (f64, usize) {
    let begin = Instant::now();
    let mut samples: Vec<(f64, f64)> = Vec::new();
    let mut count = 0;
    while begin.elapsed() < time {
        once(count);
        count += 1;
        if begin.elapsed() >= time.mul_f64(WARM) {
            samples.push((count as f64, resident() as f64));
        }
    }
    (slope(&samples), count)
}

/// The slope of the line through points, by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let product: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    if spread > 0.0 { product / spread } else { 0.0 }
}

fn report(what: &str, (slope, count): (f64, usize), most: f64) -> Option<String> {
    println!("{what}: {count} times, {slope:.1} bytes each, {} MB resident", resident() >> 20);
    (slope > most).then(|| format!("{what}: memory grows by {slope:.0} bytes each time"))
}

fn changing_extents(time: Duration) -> Option<String> {
    let mut session = Session::new(model(0));
    let expected: Vec<_> = (0..200).map(|number| outputs(&mut session, number)).collect();
    let mut wrong = 0;
    let grown = growth(time, |number| {
        let number = number * 37 % expected.len();
        wrong += usize::from(outputs(&mut session, number) != expected[number]);
    });
    let problem = report("runs with changing extents", grown, RUN_GROWTH);
    if wrong > 0 { Some(format!("{wrong} runs gave other bits")) } else { problem }
}

fn sessions_on_threads(time: Duration) -> Option<String> {
    let model = model(1);
    let expected = outputs(&mut Session::new(model.clone()), 5);
    let begin = Instant::now();
    let grown = growth(time.min(Duration::from_secs(3600)), |_| {
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    let mut session = Session::new(model.clone());
                    assert!((0..3).all(|_| outputs(&mut session, 5) == expected), "a session gives other bits");
                });
            }
        });
    });
    println!("sessions: {:.0} a second", (grown.1 * THREADS) as f64 / begin.elapsed().as_secs_f64());
    report("sessions on 8 threads", grown, RUN_GROWTH * THREADS as f64)
}

fn compilations(time: Duration) -> Option<String> {
    let expected: Vec<_> = (0..4).map(|seed| outputs(&mut Session::new(model(seed)), 3)).collect();
    let grown = growth(time, |number| {
        let seed = number % expected.len();
        assert!(outputs(&mut Session::new(model(seed)), 3) == expected[seed], "a compilation gives other bits");
    });
    report("compilations", grown, COMPILATION_GROWTH)
}

/// Cancels a run from another thread.
fn cancellation(what: &str, text: &str, inputs: Vec<Tensor>) -> Option<String> {
    let mut session = Session::new(compiled(text, Options::default()));
    let inputs: Vec<Value> = inputs.into_iter().map(Value::from).collect();
    let stop = Arc::new(Stop::default());
    let (requests, receiver) = std::sync::mpsc::channel();
    let other = stop.clone();
    let requester = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(1));
        // the receiver may have ended
        let _ = requests.send(Instant::now());
        other.request();
    });
    let result = session.run_with(&Input::of(&inputs), &mut [], Some(&stop));
    let end = Instant::now();
    let late = receiver.recv().map_or(Duration::ZERO, |asked| end.saturating_duration_since(asked));
    let is_joined = requester.join().is_ok();
    println!("{what} is cancelled within {:.1} ms", late.as_secs_f64() * 1e3);
    if result.is_ok() || !is_joined {
        return Some(format!("{what} ended before it was cancelled"));
    }
    (late > PATIENCE).then(|| format!("{what} was cancelled after {late:?}"))
}

/// The resident memory of this process, in bytes.
fn resident() -> usize {
    let statistics = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statistics.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}
