//! Operator sets that a model imports: their functions become the model's own.

use std::borrow::Cow;

use ir::{Diagnostic, Location};
use proto::{FunctionProto, Model, OperatorSetProto};

use crate::graph::{domain, opsets};

/// The model with the functions of those operator sets that it imports, behind its own.
pub(crate) fn link<'m>(model: &'m Model, sets: &[OperatorSetProto]) -> Result<Cow<'m, Model>, Diagnostic> {
    let mut functions: Vec<FunctionProto> = Vec::new();
    for (name, version) in opsets(&model.proto.opset_import) {
        let of_domain: Vec<&OperatorSetProto> = sets.iter().filter(|set| domain(&set.domain) == name).collect();
        let imported: Vec<_> = of_domain.iter().filter(|set| set.opset_version == version).collect();
        if imported.is_empty() && !of_domain.is_empty() {
            let found = of_domain.iter().map(|set| set.opset_version.to_string()).collect::<Vec<_>>().join(", ");
            let message =
                format!("the model imports version {version} of {name}; the operator sets given have version {found}");
            return Err(Diagnostic::input(Location::Unknown, message).breaks("set-version-given"));
        }
        for function in imported.iter().flat_map(|set| &set.functions) {
            let is_same = |own: &FunctionProto| {
                domain(&own.domain) == name && own.name == function.name && own.overload == function.overload
            };
            if !model.proto.functions.iter().any(is_same) {
                // the document says the domain of all its functions
                functions.push(FunctionProto { domain: name.to_string(), ..function.clone() });
            }
        }
    }
    if functions.is_empty() {
        return Ok(Cow::Borrowed(model));
    }
    let mut model = model.clone();
    model.proto.functions.extend(functions);
    Ok(Cow::Owned(model))
}
