//! Programs that are long, wide, or share much: they compile without deep recursion, and in linear time.

use std::path::PathBuf;
use std::sync::Arc;

use driver::{Backend, Compiler, Level, Options, Profile, RuleLevel, Session, Tensor};
use ir::{Attribute, Op};
use proto::{
    AttributeProto, Dimension, DimensionValue, GraphProto, Message, ModelProto, NodeProto, OperatorSetIdProto,
    TensorShapeProto, TypeProto, TypeTensor, TypeValue, ValueInfoProto,
};
use tests::scratch;

/// A graph from `x: f32[8, 32]` to the result of its last node.
#[derive(Default)]
struct Graph(Vec<NodeProto>);

impl Graph {
    fn node(&mut self, operator: &str, inputs: &[&str], attribute: Vec<AttributeProto>) -> String {
        let result = format!("v{}", self.0.len());
        self.0.push(NodeProto {
            name: format!("n{}", self.0.len()),
            op_type: operator.into(),
            input: inputs.iter().map(|input| input.to_string()).collect(),
            output: vec![result.clone()],
            attribute,
            ..Default::default()
        });
        result
    }

    fn write(self, name: &str) -> PathBuf {
        let value = |name: &str, shape: Option<&[i64]>| {
            let dimension =
                |&extent: &i64| Dimension { value: Some(DimensionValue::Value(extent)), ..Default::default() };
            let shape = shape.map(|shape| TensorShapeProto { dim: shape.iter().map(dimension).collect() });
            let value = Some(TypeValue::Tensor(TypeTensor { elem_type: 1, shape }));
            let r#type = Some(TypeProto { value, ..Default::default() });
            ValueInfoProto { name: name.into(), r#type, ..Default::default() }
        };
        let output = value(&self.0.last().expect("a graph has nodes").output[0], None);
        let graph = GraphProto {
            name: name.into(),
            node: self.0,
            input: vec![value("x", Some(&[8, 32]))],
            output: vec![output],
            ..Default::default()
        };
        let model = ModelProto {
            ir_version: 10,
            opset_import: vec![OperatorSetIdProto { version: 17, ..Default::default() }],
            graph: Some(graph),
            ..Default::default()
        };
        let file = scratch::place(&format!("scale-{name}.onnx"));
        std::fs::write(&file, model.encode_to_vec()).expect("the folder takes files");
        file
    }

    /// The elements of the result if every input element is `x`.
    fn run(self, name: &str, x: f32) -> Vec<f64> {
        let model = Compiler::new(Options::default()).compile_file(&self.write(name));
        let model = model.unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
        let input = Tensor::from_f32(&[8, 32], &[x; 256]).expect("the number of elements matches the shape");
        let outputs = Session::new(Arc::new(model)).run(&[input]).unwrap_or_else(|errors| panic!("{}", errors[0]));
        outputs[0].to_f64().expect("numbers")
    }
}

fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto { name: name.into(), i: Some(value), r#type: Some(2), ..Default::default() }
}

fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { name: name.into(), ints: values.into(), r#type: Some(7), ..Default::default() }
}

#[test]
fn a_long_chain_of_elementwise_nodes() {
    let mut graph = Graph::default();
    let mut last = "x".to_string();
    for _ in 0..5000 {
        last = graph.node("Abs", &[&last], vec![]);
        last = graph.node("Neg", &[&last], vec![]);
    }
    assert_eq!(graph.run("chain", 2.0), [-2.0; 256]);
}

#[test]
fn reductions_of_values_that_others_read_too() {
    let mut graph = Graph::default();
    let mut last = "x".to_string();
    for _ in 0..100 {
        let negative = graph.node("Neg", &[&last], vec![]);
        let positive = graph.node("Abs", &[&last], vec![]);
        let largest = graph.node("ReduceMax", &[&positive], vec![ints("axes", &[1]), int("keepdims", 1)]);
        last = graph.node("Add", &[&negative, &largest], vec![]);
    }
    assert_eq!(graph.run("diamonds", 2.0), [0.0; 256]);
}

#[test]
fn weights_that_are_computed_from_constants() {
    let mut graph = Graph::default();
    let ones =
        AttributeProto { name: "value_floats".into(), floats: vec![1.0; 32], r#type: Some(6), ..Default::default() };
    let mut last = graph.node("Constant", &[], vec![ones]);
    for _ in 0..60 {
        let negative = graph.node("Neg", &[&last], vec![]);
        let positive = graph.node("Abs", &[&last], vec![]);
        last = graph.node("Max", &[&negative, &positive], vec![]);
    }
    graph.node("MatMul", &["x", &last], vec![]);
    assert_eq!(graph.run("weights", 2.0), [64.0; 8]);
}

#[test]
fn movements_that_are_read_at_several_places() {
    let mut graph = Graph::default();
    let mut last = "x".to_string();
    for _ in 0..60 {
        let moved = graph.node("Reshape", &[&last, "shape"], vec![]);
        let turned = graph.node("Transpose", &[&moved], vec![ints("perm", &[1, 0])]);
        let back = graph.node("Transpose", &[&turned], vec![ints("perm", &[1, 0])]);
        let doubled = graph.node("Max", &[&turned, &back], vec![]);
        last = graph.node("Sub", &[&doubled, &turned], vec![]);
    }
    let shape = AttributeProto { name: "value_ints".into(), ints: vec![16, 16], r#type: Some(7), ..Default::default() };
    let constant = NodeProto {
        op_type: "Constant".into(),
        output: vec!["shape".into()],
        attribute: vec![shape],
        ..Default::default()
    };
    graph.0.insert(0, constant);
    assert_eq!(graph.run("movements", 2.0), [0.0; 256]);
}

#[test]
fn nodes_with_many_operands() {
    for operator in ["Sum", "Concat"] {
        let mut graph = Graph::default();
        let attributes = if operator == "Concat" { vec![int("axis", 0)] } else { vec![] };
        graph.node(operator, &["x"; 10_000], attributes);
        let result = graph.run(operator, 1.0);
        match operator {
            "Sum" => assert_eq!(result, [10_000.0; 256]),
            _ => assert_eq!(result, vec![1.0; 2_560_000]),
        }
    }
}

#[test]
fn one_pass_over_long_rows() {
    let mut graph = Graph::default();
    let long = graph.node("Concat", &["x"; 2000], vec![int("axis", 1)]);
    let found = graph.node("ArgMax", &[&long], vec![int("axis", 1), int("select_last_index", 1)]);
    graph.node("Cast", &[&found], vec![int("to", 1)]);
    assert_eq!(graph.run("arg-max", 1.0), [63_999.0; 8]);
    let mut graph = Graph::default();
    let long = graph.node("Concat", &["x"; 2000], vec![int("axis", 1)]);
    let axis = graph.node("Constant", &[], vec![int("value_int", 1)]);
    let sums = graph.node("CumSum", &[&long, &axis], vec![]);
    graph.node("ReduceMax", &[&sums], vec![ints("axes", &[1])]);
    assert_eq!(graph.run("cumulative", 1.0), [64_000.0; 8]);
}

#[test]
fn an_extent_that_overflows_names_its_node() {
    let mut graph = Graph::default();
    let mut last = "x".to_string();
    for _ in 0..60 {
        last = graph.node("Concat", &[&last, &last], vec![int("axis", 0)]);
    }
    let errors = match Compiler::new(Options::default()).compile_file(&graph.write("doubling")) {
        Ok(_) => panic!("no memory holds the result"),
        Err(errors) => errors,
    };
    let text = errors[0].to_string();
    assert!(text.contains(" n46: ") && text.contains("too large to address"), "{text}");
}

/// The processor time of this thread in seconds, which excludes other load.
fn processor_time() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the system counts what threads run");
    times.split(' ').next().and_then(|time| time.parse::<f64>().ok()).expect("nanoseconds come first") / 1e9
}

/// The minimum time in seconds of several checks of a chain of nodes.
fn checking_time(nodes: usize) -> f64 {
    let mut graph = Graph::default();
    let mut last = "x".to_string();
    for _ in 0..nodes / 2 {
        let next = graph.node("Relu", &[&last], vec![]);
        last = graph.node("Add", &[&next, &last], vec![]);
    }
    let file = graph.write(&format!("checked_{nodes}"));
    let measure = |_| {
        let start = processor_time();
        let found = driver::check_file(&file, Profile::Onnx, &[]);
        assert!(found.iter().all(|finding| finding.rule.level < RuleLevel::Error), "{:?}", found.first());
        processor_time() - start
    };
    (0..5).map(measure).fold(f64::INFINITY, f64::min)
}

/// Twice the nodes take about twice the time; quadratic growth would take four times.
#[test]
fn checking_grows_with_the_model() {
    let [small, large] = [10_000, 20_000].map(checking_time);
    assert!(large < 3.2 * small, "10000 nodes take {small} s, 20000 take {large} s");
}

/// A table of 256 rows that a Gather reads as it is, and a product in the layout of its kernel.
#[test]
fn a_constant_of_several_functions_is_stored_once() {
    let numbers: Vec<String> = (0..256 * 64).map(|at| format!("{}", at % 251)).collect();
    let text = format!(
        r#"<ir_version: 10, opset_import: ["" : 17]>
g (int64[n] rows, float[n, 64] x) => (float[n, 64] picked, float[n, 256] product) <float[256, 64] w = {{{}}}> {{
  picked = Gather(w, rows)
  turned = Transpose<perm = [1, 0]>(w)
  product = MatMul(x, turned)
}}"#,
        numbers.join(", ")
    );
    let file = scratch::place("scale-tied.onnxtxt");
    std::fs::write(&file, text).expect("the folder takes files");
    let compiler = Compiler::new(Options { backend: Backend::Llvm, ..Options::default() });
    let (module, _) = compiler.lower_file(&file, Level::Kernel).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let constant = |op: Op| module.body.attribute(op, "initial_value").and_then(Attribute::as_dense).cloned();
    let large = module.ops().filter_map(constant).filter(|elements| elements.data.len() >= 256 * 64 * 4);
    assert_eq!(large.count(), 1);
}
