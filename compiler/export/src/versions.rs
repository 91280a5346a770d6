//! The oldest version of an operator that means the same as its newest.
//!
//! From the sets of [`OLDEST`] on, a new version with the same parameters and attributes only allows more types; before
//! that, some changed their meaning. A version of an operator that was removed is not used.

use dialects::onnx::schema::{self, Schema};
use dialects::onnx::{check_choices, check_types};
use ir::{Attributes, Type};

/// The operator sets, by domain, in which operators are looked for.
const OLDEST: [(&str, i64); 2] = [("ai.onnx", 21), ("ai.onnx.ml", 3)];

/// The first operator set in which a node with these types and attributes means what the newest schema says.
pub(crate) fn required(newest: &'static Schema, operands: &[Type], results: &[Type], attributes: &Attributes) -> i64 {
    let Some((_, oldest)) = OLDEST.iter().find(|(domain, _)| *domain == newest.domain) else { return newest.since };
    let is_same = |older: &&Schema| {
        has_same_signature(older, newest)
            && check_types(older, operands, results).is_ok()
            && check_choices(older, attributes).is_ok()
    };
    let mut found = newest;
    for older in schema::versions(newest.domain, newest.name).rev().skip(1).take_while(is_same) {
        // the set has the last version that is not younger
        if found.since <= *oldest {
            break;
        }
        found = older;
    }
    found.since
}

/// Whether parameters and attributes are equal, whatever types they allow. Enumerations are stated by newest versions alone.
fn has_same_signature(a: &Schema, b: &Schema) -> bool {
    let attributes = |schema: &Schema| {
        let facts = schema.attributes.iter().map(|known| (known.name, known.kind, known.required, known.default));
        facts.collect::<Vec<_>>()
    };
    (&a.inputs, &a.outputs) == (&b.inputs, &b.outputs) && attributes(a) == attributes(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(domain: &str, name: &str, element: Type) -> i64 {
        let newest = schema::newest(domain, name).expect("it exists");
        let tensor = Type::unranked_tensor(element);
        let types = std::slice::from_ref(&tensor);
        required(newest, types, types, &Attributes::new())
    }

    #[test]
    fn types_decide_which_set_is_needed() {
        let set = |element| since("", "Identity", element);
        assert!(set(Type::F32) <= 21 && set(Type::integer(2)) >= 25);
    }

    #[test]
    fn removed_versions_are_not_used() {
        assert_eq!(since("ai.onnx.ml", "TreeEnsembleRegressor", Type::F32), 3);
    }
}
