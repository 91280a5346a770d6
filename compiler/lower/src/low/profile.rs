//! Kernel timing: two clock readings around every kernel call of the host functions, whose difference is added to a
//! table.

use dialects::rt::attributes::PROFILED;
use dialects::{arith, func, memref};
use ir::{Attribute, Attributes, Builder, IndexSet, Location, Module, Op, Type, Value};

use super::scope::{callee, definitions, is_kernel, kernel_names, name_of, with_body};

/// The global with the total nanoseconds and the number of runs of each timed call.
pub const PROFILE: &str = "rt_profile";

/// Times every kernel call of a module at the kernel level.
pub fn time_kernels(module: &mut Module) {
    let kernels = kernel_names(module);
    let hosts = definitions(module).into_iter().filter(|&op| !is_kernel(module, op));
    let calls: Vec<(Op, Vec<Op>)> = hosts.map(|host| (host, kernel_calls(module, host, &kernels))).collect();
    let words = 2 * calls.iter().map(|(_, calls)| calls.len()).sum::<usize>() as i64;
    let mut timed: Vec<Attribute> = Vec::new();
    for (host, calls) in calls {
        let host_name = name_of(module, host).to_string();
        with_body(module, host, |_, body| {
            for call in calls {
                let name = callee(body, call).expect("the call names a kernel");
                let nodes = body.op(call).location.names();
                let label = [&*host_name, name]
                    .into_iter()
                    .chain(nodes.iter().map(|node| &**node))
                    .map(Attribute::string)
                    .collect();
                time_call(body, call, timed.len() as i64, words);
                timed.push(Attribute::Array(label));
            }
        });
    }
    add_table(module, words);
    module.attributes.set(PROFILED, Attribute::Array(timed.into()));
}

fn kernel_calls(module: &Module, host: Op, kernels: &IndexSet<String>) -> Vec<Op> {
    let body = module.function_view(host).expect("a host function").body;
    let is_kernel_call = |op: &Op| callee(body, *op).is_some_and(|name| kernels.contains(name));
    body.walk_all().into_iter().filter(is_kernel_call).collect()
}

fn ticks(builder: &mut Builder<'_>) -> Value {
    builder.value(func::CALL, &[], Type::I64, [("callee", Attribute::symbol("rt_ticks"))])
}

fn time_call(body: &mut ir::Body, call: Op, number: i64, words: i64) {
    let start = ticks(&mut Builder::before(body, call));
    let mut builder = Builder::after(body, call);
    let end = ticks(&mut builder);
    let time = builder.value(arith::SUBI, &[end, start], Type::I64, []);
    let table = builder.value(memref::GET_GLOBAL, &[], table_type(words), [("name", Attribute::symbol(PROFILE))]);
    let one = builder.constant(Attribute::i64(1), Type::I64);
    for (offset, amount) in [(0, time), (1, one)] {
        let indices = &[builder.constant_index(2 * number + offset)];
        let before = builder.value_from(memref::Load { memref: table, indices }, Type::I64, []);
        let value = builder.value(arith::ADDI, &[before, amount], Type::I64, []);
        builder.create_from(memref::Store { value, memref: table, indices }, &[], []);
    }
}

fn table_type(words: i64) -> Type {
    Type::memref([Some(words)], Type::I64)
}

fn add_table(module: &mut Module, words: i64) {
    let attributes = Attributes::from([
        ("sym_name", Attribute::string(PROFILE)),
        ("sym_visibility", Attribute::string("private")),
        ("type", Attribute::Type(table_type(words))),
        ("initial_value", Attribute::Unit),
    ]);
    let global = module.body.create_op(memref::GLOBAL, &[], &[], attributes, Location::Unknown);
    let top = module.body.entry().expect("a module has one block");
    module.body.append(top, global);
}
