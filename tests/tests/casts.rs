//! Conversions of out-of-range numbers, at run time and at compile time.

use std::sync::Arc;

use driver::{Blob, Compiler, Options, Session, Tensor};
use ir::Type;
use tests::node::{int, model, node, tensor_type, value_info, write};

/// Floats, the number of a type, and the converted values, as in NumPy and ONNX Runtime on this processor.
const CASES: &[(&[f32], i64, &[f64])] = &[
    (&[-1.0, 300.0, 2.7, -2.7, 255.0], 2, &[255.0, 44.0, 2.0, 254.0, 255.0]),
    (&[-1.0, 300.0, 127.9, -129.0], 3, &[-1.0, 44.0, 127.0, 127.0]),
    (&[-1.0, 65537.0], 4, &[65535.0, 1.0]),
    (&[-1.0, 40000.0], 5, &[-1.0, -25536.0]),
    (&[-1.0, 4_000_000_000.0], 12, &[4_294_967_295.0, 4_000_000_000.0]),
    (&[2.0, 4_611_686_018_427_387_904.0], 13, &[2.0, 4_611_686_018_427_387_904.0]),
];

/// The elements of a tensor, whose type has the first number, converted to the type of the second one.
fn cast(input: Tensor, [from, to]: [i64; 2], constant: bool) -> Vec<f64> {
    let info = value_info("x0", Some(tensor_type(from as i32, &[None])));
    let path = write(
        &model("", 21, node("Cast", 1, 1, vec![int("to", to)]), &[info]),
        &format!("cast-{from}-{to}-{constant}"),
    );
    let mut options = import::Options::default();
    if constant {
        options.constants.insert("x0".into(), input.elements());
    }
    let compiled = Compiler::new(Options { threads: 1, ..Options::default() }).compile_file_with(&path, &options);
    std::fs::remove_file(path).expect("it was just written");
    let compiled = compiled.unwrap_or_else(|errors| panic!("{}", errors[0]));
    let inputs = if constant { vec![] } else { vec![input] };
    let outputs = Session::new(Arc::new(compiled)).run(&inputs).expect("it runs");
    outputs[0].to_f64().expect("numbers")
}

#[test]
fn floats_wrap_around_in_integers() {
    for &(values, to, expected) in CASES {
        // long enough for vectors, and with a remainder
        let many: Vec<f32> = values.iter().copied().cycle().take(37).collect();
        let wanted: Vec<f64> = expected.iter().copied().cycle().take(37).collect();
        for constant in [false, true] {
            let input = Tensor::from_f32(&[many.len() as i64], &many).expect("the number of values matches the shape");
            assert_eq!(cast(input, [1, to], constant), wanted, "to type {to}, constant {constant}");
        }
    }
}

/// What lies next to a tie is not rounded to it first.
#[test]
fn halves_of_doubles_are_rounded_once() {
    let power = |exponent: i32| 2f64.powi(exponent);
    let cases = [
        (
            10,
            [
                65520.0 * (1.0 - power(-53)),
                1.0 + power(-11),
                1.0 + power(-11) + power(-40),
                power(-25) * (1.0 + power(-40)),
            ],
        ),
        (16, [1.0 + power(-8), -1.0 - power(-8) - power(-40), 1.0 + 3.0 * power(-8), power(-133) * (0.5 + power(-40))]),
    ];
    let expected =
        [[65504.0, 1.0, 1.0 + power(-10), power(-24)], [1.0, -1.0 - power(-7), 1.0 + power(-6), power(-133)]];
    for ((to, values), expected) in cases.into_iter().zip(expected) {
        for constant in [false, true] {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            let input =
                Tensor::new(Type::F64, vec![4], Blob::copy_of(&bytes)).expect("the number of values matches the shape");
            assert_eq!(cast(input, [11, to], constant), expected, "to type {to}, constant {constant}");
        }
    }
}
