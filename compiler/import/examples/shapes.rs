//! Prints the inferred shape of every named value of a model.
use indexmap::IndexMap;
fn main() {
    let path = std::env::args().nth(1).expect("a model");
    let module = import::import_file(path.as_ref(), &import::Options::default()).unwrap_or_else(|e| { for e in e { println!("{e}"); } std::process::exit(1) });
    for f in module.functions() {
        let start = std::time::Instant::now();
        let a = match dialects::onnx::shape::analyse(f.body, f.attributes, &IndexMap::new()) { Ok(a) => a, Err(e) => { for e in e { println!("{e}"); } std::process::exit(1) } };
        eprintln!("{:?}", start.elapsed());
        for op in f.body.walk_all() {
            for (i, &r) in f.body.op(op).results().iter().enumerate() {
                let shape = a.shape(r).map(|s| s.iter().map(|d| d.to_string()).collect::<Vec<_>>().join(", "));
                let known = a.known_value(r).map(|s| s.iter().map(|d| d.to_string()).collect::<Vec<_>>().join(", "));
                let names: Vec<_> = f.body.op(op).location.names().iter().map(|n| n.to_string()).collect();
                println!("{}\t{}\t{}\t{}\t{}", names.join(";"), f.body.name(op), i, shape.map_or("*".into(), |s| format!("[{s}]")), known.map_or(String::new(), |s| format!("= {s}")));
            }
        }
    }
}
