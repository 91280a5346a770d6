//! Elementary functions, expanded, compiled and compared with `f64`.

#![allow(unsafe_code, reason = "runs the code it compiled")]

use ir::pass::{PassManager, PassRegistry, Pipeline, Timings};

type Reference = fn(f64) -> f64;

/// Function, reference, range of arguments, error bound in units in the last place.
const CASES: &[(&str, Reference, f32, f32, f64)] = &[
    ("exp", f64::exp, -103.0, 89.5, 2.0),
    ("exp2", f64::exp2, -149.0, 128.5, 2.0),
    ("expm1", f64::exp_m1, -20.0, 20.0, 4.0),
    ("log", f64::ln, -1.0, 1e4, 2.0),
    ("log", f64::ln, 0.0, 1e-37, 2.0),
    ("log2", f64::log2, 0.0, 64.0, 3.0),
    ("log10", f64::log10, 0.0, 1e6, 3.0),
    ("log1p", f64::ln_1p, -1.5, 10.0, 4.0),
    ("tanh", f64::tanh, -10.0, 10.0, 5.0),
    ("erf", libm_erf, -4.5, 4.5, 5.5),
    ("sin", f64::sin, -20.0, 20.0, 2.0),
    ("cos", f64::cos, -20.0, 20.0, 2.0),
    ("sin", f64::sin, -1e6, 1e6, 2.0),
    ("sinh", f64::sinh, -5.0, 5.0, 1.0),
    ("asin", f64::asin, -1.0, 1.0, 4.0),
    ("acos", f64::acos, -1.0, 1.0, 4.0),
    ("atan", f64::atan, -5.0, 5.0, 4.0),
    ("acosh", f64::acosh, 0.5, 5.0, 1.0),
    ("round", f64::round, -5.0, 5.0, 0.0),
    ("rsqrt", |x| 1.0 / x.sqrt(), 0.0, 9.0, 2.0),
    ("cbrt", f64::cbrt, -9.0, 9.0, 1.0),
    ("tan", f64::tan, -9.0, 9.0, 1.0),
];

fn libm_erf(x: f64) -> f64 {
    runtime::elementary::rt_erf_f64(x)
}

/// `y[i] = function(x[i])`, four at a time or one by one.
fn module(function: &str, lanes: usize) -> String {
    let (load, store, value) = match lanes {
        1 => ("memref.load", "memref.store", "f32".to_string()),
        _ => ("vector.load", "vector.store", format!("vector<{lanes}xf32>")),
    };
    format!(
        r#""builtin.module"() ({{
  "func.func"() ({{
  ^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %n: index):
    %low = "arith.constant"() {{value = 0 : index}} : () -> index
    %step = "arith.constant"() {{value = {lanes} : index}} : () -> index
    "scf.for"(%low, %n, %step) ({{
    ^bb0(%i: index):
      %a = "{load}"(%x, %i) : (memref<?xf32>, index) -> {value}
      %b = "math.{function}"(%a) : ({value}) -> {value}
      "{store}"(%b, %y, %i) : ({value}, memref<?xf32>, index) -> ()
      "scf.yield"() : () -> ()
    }}) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }}) {{sym_name = "main", function_type = (memref<?xf32>, memref<?xf32>, index) -> ()}} : () -> ()
}}) : () -> ()"#
    )
}

fn run(function: &str, lanes: usize, arguments: &[f32]) -> Vec<f32> {
    let mut module = ir::parse_module(&module(function, lanes), "test.mlir", None).expect("parses");
    let mut passes = PassRegistry::default();
    passes.extend(dialects::levels::passes());
    passes.extend(lower::passes::passes());
    lower::passes::pipelines().into_iter().for_each(|pipeline| passes.add_pipeline(pipeline));
    let pipeline = Pipeline::parse("lower-to-low", &passes).expect("is a pipeline");
    let registry = dialects::registry();
    PassManager::new(&registry).run(&mut module, &pipeline, &mut Timings::default()).expect("lowers");
    ir::verify(&module, &dialects::registry()).unwrap_or_else(|errors| panic!("{function}: {}", errors[0]));
    let symbols = runtime::symbols().into_iter().map(|(name, at)| (name.to_string(), at.expose_provenance())).collect();
    let options = codegen_cranelift::Options { symbols, threads: 1, ..Default::default() };
    let code = codegen_cranelift::compile(std::slice::from_ref(&module), &options)
        .unwrap_or_else(|errors| panic!("{}", errors[0]));
    let main = code.function("main").expect("is defined");
    // SAFETY: the signature of `@main` above.
    let main: extern "C" fn(*const f32, *mut f32, i64) = unsafe { std::mem::transmute(main) };
    let mut results = vec![0.0; arguments.len()];
    main(arguments.as_ptr(), results.as_mut_ptr(), arguments.len() as i64);
    results
}

/// The distance of `found` from `exact`, in units in the last place of `exact` as `f32`.
fn ulps(found: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if found == rounded || found.is_nan() && rounded.is_nan() {
        return 0.0;
    }
    let unit = (rounded.abs().next_up() - rounded.abs()).max(f32::MIN_POSITIVE * f32::EPSILON) as f64;
    (found as f64 - exact).abs() / unit
}

#[test]
fn functions_are_accurate() {
    for &(function, reference, low, high, allowed) in CASES {
        let count = 40_000;
        let mut arguments: Vec<f32> =
            (0..count).map(|i| low + (high - low) * (i as f32 / (count - 1) as f32)).collect();
        arguments.extend([0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0, -1.0, 1e-6]);
        for lanes in [1, 4] {
            let found = run(function, lanes, &arguments);
            let worst = arguments
                .iter()
                .zip(&found)
                .map(|(&x, &y)| (ulps(y, reference(x as f64)), x, y))
                .fold((0.0, 0.0, 0.0), |worst, this| if this.0 > worst.0 || this.0.is_nan() { this } else { worst });
            let (error, x, y) = worst;
            assert!(error <= allowed, "{function}({x}) with {lanes} lanes is {y}, {error} units off");
        }
    }
}
