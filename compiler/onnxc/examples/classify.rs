//! Runs a model on zeros and prints its outputs: `cargo run --example classify -- model.onnx`.

use onnxc::{Compiler, Dimension, ElementType, Model, Port, Tensor};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: classify model.onnx")?;
    let compiled = Compiler::builder().user_cache().build().compile(&Model::load(path)?)?;
    let inputs: Vec<(String, Tensor)> = compiled
        .inputs()
        .iter()
        .map(|port| Ok((port.name().to_string(), zeros(port)?)))
        .collect::<onnxc::Result<_>>()?;
    let outputs = compiled.session().run(inputs)?;
    for (name, value) in outputs.iter() {
        println!("{name}: {value:?}");
    }
    Ok(())
}

/// Zeros for an input; dynamic extents are 1.
fn zeros(port: &Port) -> onnxc::Result<Tensor> {
    let extent = |dimension: &Dimension| if let Dimension::Fixed(extent) = dimension { *extent } else { 1 };
    let shape: Vec<usize> = port.shape().iter().map(extent).collect();
    let element = port.element_type().unwrap_or(ElementType::F32);
    let bytes = shape.iter().product::<usize>() * element.byte_width().unwrap_or(1);
    Tensor::from_bytes(element, &shape, &vec![0; bytes])
}
