//! Operator sets that a model imports: their functions are added to the model's own.

use std::borrow::Cow;

use ir::{Diagnostic, Location};
use proto::{FunctionProto, Model, OperatorSetProto};

use crate::graph::{domain, opsets};

/// The model with the functions of the operator sets that it imports, after its own, and an error for each domain
/// without a document of the imported version. In that case the newest version is used, so that the rest can be
/// checked.
pub(crate) fn link<'m>(model: &'m Model, sets: &[OperatorSetProto]) -> (Cow<'m, Model>, Vec<Diagnostic>) {
    let mut functions: Vec<FunctionProto> = Vec::new();
    let mut missing = Vec::new();
    for (name, version) in opsets(&model.proto.opset_import) {
        let of_domain: Vec<&OperatorSetProto> = sets.iter().filter(|set| domain(&set.domain) == name).collect();
        let mut imported = of_domain.clone();
        imported.retain(|set| set.opset_version == version);
        if imported.is_empty() && !of_domain.is_empty() {
            let found = of_domain.iter().map(|set| set.opset_version.to_string()).collect::<Vec<_>>().join(", ");
            let message = format!(
                "the model imports version {version} of {name}; the operator sets provided have version {found}"
            );
            missing.push(Diagnostic::input(Location::Unknown, message).breaks("set-version-given"));
            let newest = of_domain.iter().map(|set| set.opset_version).max();
            imported = of_domain.into_iter().filter(|set| Some(set.opset_version) == newest).collect();
        }
        for function in imported.iter().flat_map(|set| &set.functions) {
            let is_same = |own: &FunctionProto| {
                domain(&own.domain) == name && own.name == function.name && own.overload == function.overload
            };
            if !model.proto.functions.iter().any(is_same) {
                // the document states the domain of all its functions
                functions.push(FunctionProto { domain: name.to_string(), ..function.clone() });
            }
        }
    }
    if functions.is_empty() {
        return (Cow::Borrowed(model), missing);
    }
    let mut model = model.clone();
    model.proto.functions.extend(functions);
    (Cow::Owned(model), missing)
}
