//! Compares the stated error bounds of elementary functions with the runtime's functions on `f64`.

use std::sync::Arc;

use driver::{Arithmetic, Blob, Compiler, Options, Session, Tensor, Type};
use ir::{FloatType, Module, parse_module};

/// An elementwise function of some vectors, at the structured level.
fn function(name: &str, element: &str, count: usize, operands: usize) -> Module {
    let vector = format!("tensor<{count}x{element}>");
    let list = |one: &dyn Fn(usize) -> String| (0..operands).map(one).collect::<Vec<_>>().join(", ");
    let (arguments, vectors) = (list(&|at| format!("%x{at}")), list(&|_| vector.clone()));
    let (scalars, elements) = (list(&|at| format!("%a{at}")), list(&|_| element.to_string()));
    let typed = |name: &str, r#type: &str| list(&|at| format!("%{name}{at}: {type}"));
    let map = "affine_map<(d0) -> (d0)>";
    let text = format!(
        "\"func.func\"() ({{\n^bb0({}):\n  %e = \"tensor.empty\"() : () -> {vector}\n  %y = \"linalg.generic\"({arguments}, %e) ({{\n  \
         ^bb0({}, %b: {element}):\n    %c = \"{name}\"({scalars}) : ({elements}) -> {element}\n    \"linalg.yield\"(%c) : ({element}) -> ()\n  \
         }}) {{indexing_maps = [{}, {map}], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: \
         {operands}, 1>}} : ({vectors}, {vector}) -> {vector}\n  \"func.return\"(%y) : ({vector}) -> ()\n}}) {{sym_name = \"main_graph\", \
         function_type = ({vectors}) -> {vector}}} : () -> ()",
        typed("x", &vector),
        typed("a", element),
        list(&|_| map.to_string()),
    );
    parse_module(&text, "test", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

/// The values of a function of numbers, in `f32` or `f64`.
fn values(name: &str, element: FloatType, operands: &[&[f32]], arithmetic: Arithmetic) -> Vec<f64> {
    let tensor = |numbers: &&[f32]| {
        let bytes: Vec<u8> = match element {
            FloatType::F64 => numbers.iter().flat_map(|&number| f64::from(number).to_le_bytes()).collect(),
            _ => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        };
        vector(element, &bytes)
    };
    of_tensors(name, element, &operands.iter().map(tensor).collect::<Vec<_>>(), arithmetic)
}

fn vector(element: FloatType, bytes: &[u8]) -> Tensor {
    let count = bytes.len() as i64 * 8 / i64::from(element.width());
    Tensor::new(Type::Float(element), vec![count], Blob::copy_of(bytes)).expect("the count matches")
}

/// The values of a function of vectors.
fn of_tensors(name: &str, element: FloatType, inputs: &[Tensor], arithmetic: Arithmetic) -> Vec<f64> {
    results(&mut session(name, element, inputs[0].element_count(), inputs.len(), arithmetic), inputs)
}

/// A session for a function of `operands` vectors with `count` elements.
fn session(name: &str, element: FloatType, count: usize, operands: usize, arithmetic: Arithmetic) -> Session {
    let compiler = Compiler::new(Options { arithmetic, ..Options::default() });
    let module = function(name, &Type::Float(element).to_string(), count, operands);
    let compiled = compiler.compile_structured(module).unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
    Session::new(Arc::new(compiled))
}

fn results(session: &mut Session, inputs: &[Tensor]) -> Vec<f64> {
    let output = session.run(inputs).unwrap_or_else(|errors| panic!("{}", errors[0])).remove(0);
    output.to_f64().expect("they are floats")
}

/// The error of a number in units in the last place of the exact one (or of the smallest normal number); above the
/// largest number, infinity is correct.
fn units(exact: f64, found: f64, element: FloatType) -> f64 {
    let (digits, smallest, largest) = match element {
        FloatType::F64 => (53.0, f64::MIN_POSITIVE, f64::MAX),
        FloatType::F16 => (11.0, (-14f64).exp2(), 65_504.0),
        FloatType::BF16 => (8.0, f64::from(f32::MIN_POSITIVE), (2.0 - (-7f64).exp2()) * 127f64.exp2()),
        _ => (24.0, f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)),
    };
    let unit = (exact.abs().clamp(smallest, largest).log2().floor() + 1.0 - digits).exp2();
    let fits = exact.is_nan() && found.is_nan()
        || exact == found
        || exact.abs() >= largest + unit / 2.0 && found.is_infinite() && found.signum() == exact.signum();
    if fits { 0.0 } else { (exact - found).abs() / unit }
}

/// The largest error of numbers whose exact values are known to `slack` units, and its index.
fn worst(exact: &[f64], found: &[f64], element: FloatType, slack: f64) -> (usize, f64) {
    let errors = exact.iter().zip(found).map(|(&exact, &found)| units(exact, found, element) - slack);
    errors.enumerate().fold((0, 0.0), |best, one| if one.1 > best.1 || one.1.is_nan() { one } else { best })
}

/// Floats of every sign and exponent, with many fractions each.
fn floats() -> Vec<f32> {
    const STEP: u32 = 16_411;
    (0..u32::MAX / STEP).map(|at| f32::from_bits(at * STEP)).filter(|x| x.is_finite()).collect()
}

/// The names of functions on `f32` and their stated bounds.
fn error_bounds() -> impl Iterator<Item = (&'static str, f64)> {
    driver::ERROR_BOUNDS.iter().map(|&(code, bound)| (code.name(), bound))
}

/// The same of those that a module defines itself, with the type.
fn fixed_bounds() -> impl Iterator<Item = (&'static str, FloatType, f64)> {
    driver::FIXED_ERROR_BOUNDS.iter().map(|&(code, format, bound)| (code.name(), format, bound))
}

#[test]
fn elementary_functions_keep_their_bounds() {
    let numbers = floats();
    for (name, bound) in error_bounds() {
        let exact = values(name, FloatType::F64, &[&numbers], Arithmetic::Strict);
        for arithmetic in [Arithmetic::Strict, Arithmetic::Fixed] {
            let rounded = values(name, FloatType::F32, &[&numbers], arithmetic);
            let (at, error) = worst(&exact, &rounded, FloatType::F32, 0.0);
            assert!(error <= bound, "{name} of {:e}: {error} units, under {arithmetic:?}", numbers[at]);
        }
    }
}

/// Every `f16` and `bf16`.
#[test]
fn half_precision_functions_keep_their_bound() {
    let bits: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    for element in [FloatType::F16, FloatType::BF16] {
        let inputs = vector(element, &bits);
        let numbers = inputs.to_f64().expect("they are floats");
        let doubles: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let doubles = vector(FloatType::F64, &doubles);
        for (name, _) in error_bounds() {
            let exact = of_tensors(name, FloatType::F64, std::slice::from_ref(&doubles), Arithmetic::Strict);
            for arithmetic in [Arithmetic::Strict, Arithmetic::Fixed] {
                let found = of_tensors(name, element, std::slice::from_ref(&inputs), arithmetic);
                let (at, error) = worst(&exact, &found, element, 0.0);
                assert!(
                    error <= driver::HALF_ERROR_BOUND,
                    "{name} of {:e} in {element:?}: {error} units, under {arithmetic:?}",
                    numbers[at]
                );
            }
        }
    }
}

/// Inputs of one call of [`every_single_keeps_the_bounds`].
const CHUNK: u32 = 1 << 24;

/// Prints the largest error of every function on `f32` over all inputs; `./x bounds` runs it, which takes about an
/// hour.
#[test]
#[ignore = "looks at all 2^32 inputs of each function"]
fn every_single_keeps_the_bounds() {
    let fixed = fixed_bounds().filter(|row| row.1 == FloatType::F32 && row.0 != "math.powf");
    let fixed = fixed.map(|(name, _, bound)| (name, bound, Arithmetic::Fixed));
    let all = [Arithmetic::Strict, Arithmetic::Fixed]
        .map(|order| error_bounds().map(move |(name, bound)| (name, bound, order)));
    println!("| function | arithmetic | stated | largest error | at |\n|---|---|---|---|---|");
    let mut beyond = Vec::new();
    for (name, bound, arithmetic) in all.into_iter().flatten().chain(fixed) {
        let (error, at) = largest_error(name, arithmetic);
        println!("| {name} | {arithmetic:?} | {bound} | {error:.3} | {at:e} |");
        if error.is_nan() || error > bound {
            beyond.push(name);
        }
    }
    assert!(beyond.is_empty(), "beyond their bounds: {beyond:?}");
}

/// The largest error of a function over all `f32`, and the input with it.
fn largest_error(name: &str, arithmetic: Arithmetic) -> (f64, f32) {
    let mut exact = session(name, FloatType::F64, CHUNK as usize, 1, Arithmetic::Strict);
    let mut found = session(name, FloatType::F32, CHUNK as usize, 1, arithmetic);
    let mut largest = (0.0, 0.0);
    for start in (0..=u32::MAX / CHUNK).map(|chunk| chunk * CHUNK) {
        let inputs = (0..CHUNK).map(|at| f32::from_bits(start + at));
        let doubles: Vec<u8> = inputs.clone().flat_map(|x| f64::from(x).to_le_bytes()).collect();
        let singles: Vec<u8> = inputs.flat_map(f32::to_le_bytes).collect();
        let exact = results(&mut exact, &[vector(FloatType::F64, &doubles)]);
        let found = results(&mut found, &[vector(FloatType::F32, &singles)]);
        let (at, error) = worst(&exact, &found, FloatType::F32, 0.0);
        if error > largest.0 || error.is_nan() {
            largest = (error, f32::from_bits(start + at as u32));
        }
    }
    largest
}

/// Arguments whose reduction needs many bits of 1 / 2π, or that are near a multiple of a quarter turn, with sine,
/// cosine and tangent computed with 700 digits.
const TURNS: [[f64; 4]; 12] = [
    [1e22, -0.852_200_849_767_188_8, 0.523_214_785_395_139, -1.628_778_225_606_898_8],
    [1.071_508_607_186_267_3e301, -0.159_201_703_086_242_43, 0.987_246_077_598_913_5, -0.161_258_379_950_658_06],
    [f64::MAX, 0.004_961_954_789_184_062, -0.999_987_689_426_559_9, -0.004_962_015_874_444_895],
    [5.319_372_648_326_541e255, 1.0, -4.687_165_924_254_628e-19, -2.133_485_385_753_704e18],
    [355.0, -3.014_435_335_948_845e-5, -0.999_999_999_545_659, 3.014_435_337_318_426_5e-5],
    [11.0, -0.999_990_206_550_703_5, 0.004_425_697_988_050_785, -225.950_846_454_195_13],
    [std::f64::consts::PI, 1.224_646_799_147_353_2e-16, -1.0, -1.224_646_799_147_353_2e-16],
    [std::f64::consts::FRAC_PI_2, 1.0, 6.123_233_995_736_766e-17, 1.633_123_935_319_537e16],
    [123_456_789.125, 0.999_876_385_427_262_9, 0.015_723_036_122_574_08, 63.593_085_815_767_32],
    [0.75, 0.681_638_760_023_334_1, 0.731_688_868_873_820_9, 0.931_596_459_944_072_5],
    [1e300, -0.817_881_912_115_908_5, -0.575_386_111_957_549_1, 1.421_448_823_874_724_5],
    [-5e15, 0.901_711_760_523_585, -0.432_337_716_297_638, -2.085_665_271_689_624_7],
];

#[test]
fn turns_of_doubles_are_counted_exactly() {
    let bytes: Vec<u8> = TURNS.iter().flat_map(|row| row[0].to_le_bytes()).collect();
    for (at, name) in ["math.sin", "math.cos", "math.tan"].into_iter().enumerate() {
        let found = of_tensors(name, FloatType::F64, &[vector(FloatType::F64, &bytes)], Arithmetic::Fixed);
        for (row, found) in TURNS.iter().zip(found) {
            let error = units(row[at + 1], found, FloatType::F64);
            assert!(error <= fixed_bound(name), "{name} of {:e} is {found:e}: {error} units", row[0]);
        }
    }
}

/// The stated bound of a function of `f64`.
fn fixed_bound(name: &str) -> f64 {
    let is_it = |row: &(&str, FloatType, f64)| row.0 == name && row.1 == FloatType::F64;
    fixed_bounds().find(is_it).expect("it is stated").2
}

/// Powers computed with 60 digits: the error of the logarithm is multiplied by up to 700.
const POWERS: [[f64; 3]; 14] = [
    [1.000_000_000_000_000_2, 4e18, f64::INFINITY],
    [0.999_999_999_999_999_9, 1e18, 6.076_124_616_751_106e-49],
    [1e-300, -1.0, 9.999_999_999_999_999e299],
    [1.5, 1700.0, 2.265_376_518_968_227_7e299],
    [std::f64::consts::SQRT_2, 2047.0, 1.271_161_006_153_824_2e308],
    [10.0, 308.25, 1.778_279_410_038_922_8e308],
    [10.0, -323.0, 1e-323],
    [0.1, 300.5, 3.162_277_660_168_432e-301],
    [3.0, 1.0 / 3.0, 1.442_249_570_307_408_3],
    [7.123_456_789e200, 1.5, 1.901_236_710_178_734_8e301],
    [5e-324, 0.5, 2.222_758_749_485_077_5e-162],
    [-1.25, 3001.0, -6.713_500_679_000_759e290],
    [std::f64::consts::E, 709.5, 1.354_986_319_314_581_7e308],
    [1.000_000_1, 1e9, 2.688_103_858_214_464_7e43],
];

#[test]
fn powers_of_doubles_keep_their_bound() {
    let column = |at: usize| {
        let bytes: Vec<u8> = POWERS.iter().flat_map(|row| row[at].to_le_bytes()).collect();
        vector(FloatType::F64, &bytes)
    };
    let found = of_tensors("math.powf", FloatType::F64, &[column(0), column(1)], Arithmetic::Fixed);
    for ([x, y, exact], found) in POWERS.into_iter().zip(found) {
        let error = units(exact, found, FloatType::F64);
        assert!(error <= fixed_bound("math.powf"), "{x:e} to the power of {y:e} is {found:e}: {error} units");
    }
}

/// Functions that a module defines itself, compared with those of the runtime, whose error is below a unit of `f64`.
#[test]
fn defined_functions_keep_their_bounds() {
    let numbers = floats();
    for (name, element, bound) in fixed_bounds().filter(|(name, ..)| *name != "math.powf") {
        let exact = values(name, FloatType::F64, &[&numbers], Arithmetic::Strict);
        let found = values(name, element, &[&numbers], Arithmetic::Fixed);
        let slack = if element == FloatType::F64 { 1.0 } else { 0.0 };
        let (at, error) = worst(&exact, &found, element, slack);
        assert!(error <= bound, "{name} of {:e} in {element:?}: {error} units", numbers[at]);
    }
}

/// Powers of all pairs of some numbers, including special ones.
#[test]
fn powers_keep_their_bound() {
    let is_single = |row: &(&str, FloatType, f64)| row.0 == "math.powf" && row.1 == FloatType::F32;
    let (_, element, bound) = fixed_bounds().find(is_single).expect("it has one");
    let special = [0.0, 1.0, f32::INFINITY, f32::NAN, 2.0, 0.5, 3.0, 16_777_217.0, f32::MIN_POSITIVE, 1e-42];
    let ordinary = (0..150).map(|at| f32::from_bits(0x3000_0000 + at * 1_411_237));
    let numbers: Vec<f32> = special.into_iter().chain(ordinary).flat_map(|x| [x, -x]).collect();
    let (x, y): (Vec<f32>, Vec<f32>) = numbers.iter().flat_map(|&x| numbers.iter().map(move |&y| (x, y))).unzip();
    let exact: Vec<f64> = x.iter().zip(&y).map(|(&x, &y)| f64::from(x).powf(f64::from(y))).collect();
    let found = values("math.powf", element, &[&x, &y], Arithmetic::Fixed);
    let (at, error) = worst(&exact, &found, element, 0.0);
    assert!(error <= bound, "{:e} to the power of {:e} is {:e}, not {:e}", x[at], y[at], exact[at], found[at]);
}
