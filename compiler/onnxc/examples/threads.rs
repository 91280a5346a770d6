//! Runs one compiled model on several threads: `cargo run --example threads`.

use onnxc::{Compiler, Model, TensorView};

const MODEL: &str = r#"<ir_version: 10, opset_import: ["": 21]>
    square (float[N] x) => (float[N] y) { y = Mul(x, x) }"#;

fn main() -> Result<(), onnxc::Error> {
    let compiled = Compiler::builder().threads(1).build().compile(&Model::from_bytes(MODEL)?)?;
    let work = &|number: u8| -> onnxc::Result<f32> {
        let mut session = compiled.session();
        let samples = [f32::from(number); 3];
        let outputs = session.run([("x", TensorView::from_slice(&[3], &samples)?)])?;
        Ok(outputs["y"].as_slice::<f32>()?[0])
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=4).map(|number| (number, scope.spawn(move || work(number)))).collect();
        threads.into_iter().try_for_each(|(number, thread)| {
            println!("{number} squared is {}", thread.join().expect("the thread does not panic")?);
            Ok(())
        })
    })
}
