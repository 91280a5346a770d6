//! The time of a call of a model that computes almost nothing, through a library with ONNX Runtime's C interface:
//! `overhead LIBRARY MODEL`. The model has the input `x`, float32 \[1, 4\], and the output `y`.

use std::time::Instant;

use ort::session::Session;
use ort::value::Tensor;

/// Calls in one measurement, and measurements, of which the least counts.
const CALLS: u32 = 2000;
const ROUNDS: u32 = 15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(library), Some(model)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: overhead LIBRARY MODEL");
        std::process::exit(2);
    };
    let environment = ort::init_from(&library)?.with_name("overhead").build()?;
    let model = std::fs::read(&model)?;
    let mut session = Session::builder(&environment)?.with_intra_threads(1)?.commit_from_memory(&model)?;
    let x = Tensor::from_array(([1usize, 4], vec![1.0f32; 4]))?;
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..CALLS {
            session.run(ort::inputs!["x" => &x])?;
        }
        least = least.min(start.elapsed().as_secs_f64() / f64::from(CALLS));
    }
    println!("{:.3}", 1e6 * least);
    Ok(())
}
