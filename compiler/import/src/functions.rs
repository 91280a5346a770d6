//! Functions: where they come from, and their calls, in whose place their nodes stand.

use indexmap::IndexMap;
use ir::{Diagnostic, Location, Value};
use proto::{AttributeProto, FunctionProto, ModelProto, NodeProto, OperatorSetProto};

use crate::graph::{Frame, Importer, Scope, domain, opsets};

/// Functions may call each other this deep: names of nodes grow with every call that leads to them.
const CALL_DEPTH: usize = 1000;

/// Domain, name and overload.
pub(crate) type FunctionKey<'m> = (&'m str, &'m str, &'m str);

/// Nodes on their way into the module.
pub(crate) struct Activation<'m> {
    pub(crate) nodes: &'m [NodeProto],
    /// Which of them are still to come.
    pub(crate) rest: std::vec::IntoIter<usize>,
    /// The call whose function they are; a graph's own nodes have none.
    pub(crate) call: Option<Call<'m>>,
}

/// A function's call, while its nodes are inlined.
pub(crate) struct Call<'m> {
    function: &'m FunctionProto,
    node: &'m NodeProto,
    location: Location,
    /// What the caller sees.
    caller: Frame<'m>,
}

/// The functions that a model may call: those of operator sets it imports, and its own, which come first.
pub(crate) fn available<'m>(
    model: &'m ModelProto,
    sets: &'m [OperatorSetProto],
) -> Result<IndexMap<FunctionKey<'m>, &'m FunctionProto>, Diagnostic> {
    let mut functions = IndexMap::new();
    for (name, version) in opsets(&model.opset_import) {
        let of_domain: Vec<&OperatorSetProto> = sets.iter().filter(|set| domain(&set.domain) == name).collect();
        let imported = of_domain.iter().filter(|set| set.opset_version == version);
        for function in imported.clone().flat_map(|set| &set.functions) {
            functions.insert((name, &*function.name, &*function.overload), function);
        }
        if !of_domain.is_empty() && imported.count() == 0 {
            let found = of_domain.iter().map(|set| set.opset_version.to_string()).collect::<Vec<_>>().join(", ");
            let message =
                format!("the model imports version {version} of {name}; the operator sets given have version {found}");
            return Err(Diagnostic::input(Location::Unknown, message));
        }
    }
    let own = model
        .functions
        .iter()
        .map(|function| ((domain(&function.domain), &*function.name, &*function.overload), function));
    functions.extend(own);
    Ok(functions)
}

impl<'m> Importer<'m> {
    /// Nodes, in an order in which they can be computed.
    pub(crate) fn activation(&mut self, nodes: &'m [NodeProto], call: Option<Call<'m>>) -> ir::Result<Activation<'m>> {
        Ok(Activation { nodes, rest: self.schedule(nodes)?.into_iter(), call })
    }

    /// Begins to inline a function of the model.
    pub(crate) fn call(
        &mut self,
        key: FunctionKey<'m>,
        function: &'m FunctionProto,
        proto: &'m NodeProto,
        operands: Vec<Value>,
        name: &str,
    ) -> ir::Result<Activation<'m>> {
        let location = self.emit.location.clone();
        let bad = |message: String| Err(Diagnostic::input(location.clone(), message).into());
        if self.callers.contains(&key) || self.callers.len() >= CALL_DEPTH {
            return bad(format!("function {} calls itself, or calls are nested too deep", function.name));
        }
        if operands.len() > function.input.len() || proto.output.len() > function.output.len() {
            return bad(format!("function {} has fewer inputs or outputs than the node that calls it", function.name));
        }
        let mut arguments: IndexMap<&str, &AttributeProto> =
            function.attribute_proto.iter().map(|attribute| (&*attribute.name, attribute)).collect();
        for own in &proto.attribute {
            if let Some(attribute) = self.resolve(own) {
                arguments.insert(&own.name, attribute);
            }
        }
        let mut scope = Scope::default();
        for (index, input) in function.input.iter().enumerate() {
            scope.values.insert(input, operands.get(index).copied().unwrap_or(self.emit.none));
        }
        let mut imports = self.frame.opsets.clone();
        imports.extend(opsets(&function.opset_import));
        let prefix = format!("{}{name}/", self.frame.prefix);
        let frame = Frame { scopes: vec![scope], opsets: imports, arguments, prefix };
        let caller = std::mem::replace(&mut self.frame, frame);
        self.callers.insert(key);
        self.activation(&function.node, Some(Call { function, node: proto, location, caller }))
    }

    /// Ends a call: the function's outputs are those of the node that calls it.
    pub(crate) fn finish(&mut self, call: Call<'m>) -> ir::Result<()> {
        let results: ir::Result<Vec<Value>> = call.function.output.iter().map(|output| self.output(output)).collect();
        self.callers.pop();
        self.frame = call.caller;
        self.emit.location = call.location;
        self.define_outputs(call.node, results?)
    }
}
