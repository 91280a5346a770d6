//! A program with a model inside: `ONNXC=…/onnxc cargo run`.

mod softmax {
    include!(concat!(env!("OUT_DIR"), "/softmax/src/softmax.rs"));
}

fn main() -> Result<(), softmax::Error> {
    let logits = [1.0f32, 2.0, 3.0, 0.0, 0.0, 0.0];
    let mut session = softmax::Session::new();
    let [probabilities, best] = session.run([softmax::Input::new(&logits, &[2, 3])?])?;
    println!("{:?} {:.4?}", probabilities.shape(), probabilities.as_slice::<f32>()?);
    println!("{:?} {:?}", best.shape(), best.as_slice::<i64>()?);
    // mistakes are errors
    println!("{}", probabilities.as_slice::<f64>().map(|_| ()).unwrap_err());
    println!("{}", session.run([softmax::Input::new(&logits, &[6])?]).map(|_| ()).unwrap_err());
    println!("{}", session.run([softmax::Input::new(&logits, &[3, 2])?]).map(|_| ()).unwrap_err());
    Ok(())
}
