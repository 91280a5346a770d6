//! Kernel versions for several instruction set levels; every call chooses one by a word that is set before the first kernel
//! call: by the runtime, or by the entry point that initialises a model without one.

use dialects::arith::CmpIPredicate;
use dialects::{arith, func, memref, rt, scf};
use ir::{Attribute, Attributes, Block, Builder, FunctionType, Location, Module, Op, Result, Type, Value};

use super::declare::declare_runtime;
use super::scope::{definitions, is_kernel, kernel_names, name_of, with_body};
use super::tile::VectorRegisters;
use dialects::rt::attributes::{KERNEL, LEVEL};

/// The global with the processor's level; the lowest version runs on any processor.
pub const PROCESSOR_LEVEL: &str = "rt_level";

/// The levels of kernel versions, the highest first, and their vector registers.
const LEVELS: [(i64, VectorRegisters); 3] =
    [(4, VectorRegisters::X86_512), (3, VectorRegisters::X86_256), (2, VectorRegisters::X86_128)];

/// The vector registers that functions of a level may use.
pub(super) fn registers_of(level: i64) -> Option<VectorRegisters> {
    LEVELS.iter().find(|(own, _)| *own == level).map(|(_, registers)| *registers)
}

/// Makes a function store the processor's level before anything else, if there are kernels: for code without a runtime.
pub fn detect_level(module: &mut Module, function: &str) -> Result<()> {
    if kernel_names(module).is_empty() {
        return Ok(());
    }
    add_word(module);
    let op = module.symbol(function).expect("the caller defined it");
    with_body(module, op, |_, body| {
        let entry = body.entry().expect("it has a body");
        let mut builder = Builder::at_start(body, entry);
        let callee = [("callee", Attribute::symbol(rt::DETECT_LEVEL))];
        let level = builder.value(func::CALL, &[], Type::I64, callee);
        let word = word(&mut builder);
        let zero = builder.constant_index(0);
        builder.create_from(memref::Store { value: level, memref: word, indices: &[zero] }, &[], []);
    });
    declare_runtime(module)
}

/// Replaces every kernel by versions of it and a dispatcher.
pub(super) fn dispatch_kernels(module: &mut Module) {
    let kernels: Vec<Op> = definitions(module).into_iter().filter(|&op| is_kernel(module, op)).collect();
    if !kernels.is_empty() {
        add_word(module);
    }
    for kernel in kernels {
        dispatch(module, kernel);
    }
}

/// Adds the word for the level, unless [`detect_level`] has.
fn add_word(module: &mut Module) {
    if module.symbol(PROCESSOR_LEVEL).is_some() {
        return;
    }
    let attributes = Attributes::from([
        ("sym_name", Attribute::string(PROCESSOR_LEVEL)),
        ("sym_visibility", Attribute::string("private")),
        ("type", Attribute::Type(word_type())),
        ("initial_value", Attribute::Unit),
    ]);
    let global = module.body.create_op(memref::GLOBAL, &[], &[], attributes, Location::Unknown);
    let top = module.body.entry().expect("a module has one block");
    module.body.append(top, global);
}

fn word_type() -> Type {
    Type::memref([Some(1)], Type::I64)
}

fn word(builder: &mut Builder<'_>) -> Value {
    builder.value(memref::GET_GLOBAL, &[], word_type(), [("name", Attribute::symbol(PROCESSOR_LEVEL))])
}

fn dispatch(module: &mut Module, kernel: Op) {
    let name = name_of(module, kernel).to_string();
    let attributes = module.body.op(kernel).attributes.clone();
    let location = module.body.op(kernel).location.clone();
    let body = module.body.take_isolated(kernel).expect("a kernel owns its body");
    let entry = body.entry().expect("a kernel has a body");
    let inputs: Vec<Type> = body.arguments(entry).iter().map(|&argument| body.value_type(argument).clone()).collect();
    let r#type = FunctionType { inputs: inputs.clone(), results: vec![] };
    let version = |level: i64| format!("{name}_v{level}");
    for (level, _) in LEVELS {
        let attributes = attributes.clone().with(LEVEL, Attribute::i64(level));
        module.add_function(&version(level), r#type.clone(), attributes, body.clone(), location.clone());
    }
    let mut choice = ir::Body::default();
    let region = choice.root();
    let entry = choice.add_block(region, &inputs);
    let arguments = choice.arguments(entry).to_vec();
    let mut builder = Builder::at_end(&mut choice, entry);
    let word = word(&mut builder);
    let zero = builder.constant_index(0);
    let level = builder.value_from(memref::Load { memref: word, indices: &[zero] }, Type::I64, []);
    choose(&mut builder, level, &arguments, &LEVELS.map(|(level, _)| (level, version(level))));
    builder.create(func::RETURN, &[], &[], []);
    module.body.set_isolated(kernel, choice);
    module.body.op_mut(kernel).attributes = Attributes::from([
        ("sym_name", Attribute::string(&name)),
        ("sym_visibility", Attribute::string("private")),
        ("function_type", Attribute::Type(Type::Function(r#type.into()))),
        (KERNEL, Attribute::Unit),
    ]);
}

/// Calls the first version that the processor's level supports, or the last.
fn choose(builder: &mut Builder<'_>, level: Value, arguments: &[Value], versions: &[(i64, String)]) {
    let ((lowest, version), others) = versions.split_first().expect("there is a version");
    let call = |builder: &mut Builder<'_>| {
        builder.create(func::CALL, arguments, &[], [("callee", Attribute::symbol(version))]);
    };
    if others.is_empty() {
        return call(builder);
    }
    let lowest = builder.constant(Attribute::i64(*lowest), Type::I64);
    let reached = builder.value(arith::CMPI, &[level, lowest], Type::I1, [CmpIPredicate::Sge.attribute()]);
    let branch = builder.create(scf::IF, &[reached], &[], []);
    let mut within = |build: &dyn Fn(&mut Builder<'_>)| {
        let (_, block): (_, Block) = builder.region_with_block(branch, &[]);
        builder.within(block, |builder| {
            build(builder);
            builder.create(scf::YIELD, &[], &[], []);
        });
    };
    within(&call);
    within(&|builder| choose(builder, level, arguments, others));
}
