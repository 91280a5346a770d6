//! Splits fused multiply-adds, so that products are rounded, for `--fixed-fp`.

use dialects::{OpCodes, arith, math, vector};
use ir::{Builder, Module};

use super::scope::{definitions, with_body};

/// `fma(a, b, c)` becomes `a b + c` in two operations.
pub(super) fn round_products(module: &mut Module) {
    for function in definitions(module) {
        with_body(module, function, |_, body| {
            for op in body.walk_all() {
                let (&[a, b, c], Some(math::FMA | vector::FMA)) = (body.op(op).operands(), body.code(op)) else {
                    continue;
                };
                let r#type = body.value_type(c).clone();
                let location = body.op(op).location.clone();
                let mut builder = Builder::before(body, op).with_location(location);
                let product = builder.value(arith::MULF, &[a, b], r#type.clone(), []);
                let sum = builder.value(arith::ADDF, &[product, c], r#type, []);
                let result = body.result(op, 0);
                body.replace_all_uses(result, sum);
                body.erase(op);
            }
        });
    }
}
