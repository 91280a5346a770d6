//! Gradient, whose attributes name values of the graph: in the dialect these are its last operands.

use proto::{Bytes, NodeProto};

/// Moves the last inputs of a node to its attributes `xs`, `zs` and `y`.
pub(crate) fn name_values(node: &mut NodeProto) {
    let given = ["xs", "zs"].map(|list| strings(node, list).map_or(0, |strings| strings.len()));
    let values = node.input.split_off(node.input.len().saturating_sub(given[0] + given[1] + 1));
    let mut values = values.into_iter().map(Bytes::from);
    for (list, count) in ["xs", "zs"].into_iter().zip(given) {
        let named: Vec<Bytes> = values.by_ref().take(count).collect();
        strings(node, list).into_iter().for_each(|strings| strings.clone_from(&named));
    }
    let y = node.attribute.iter_mut().find(|attribute| attribute.name == "y");
    y.into_iter().for_each(|y| y.s = values.next());
}

fn strings<'a>(node: &'a mut NodeProto, name: &str) -> Option<&'a mut Vec<Bytes>> {
    node.attribute.iter_mut().find(|attribute| attribute.name == name).map(|attribute| &mut attribute.strings)
}
