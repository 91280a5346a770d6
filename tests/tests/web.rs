//! A package for npm: its JavaScript module runs the model in Node.js.

use std::path::{Path, PathBuf};
use std::process::Command;

use tests::profile::suite;
use tests::scratch;
use tests::web::{linker, run_packages};
use tests::worker::onnxc;

/// What strangers pass by mistake is refused with a message of this file, and 16-bit floats are their bits.
const MISTAKES: &str = r#"
import { InferenceSession, Tensor } from './net/index.mjs';
const session = await InferenceSession.create();
const feeds = { x: new Tensor('float32', [1, 2, 3, 4, 5, 6], [2, 3]), rows: new Tensor('int64', [1, 0]) };
const refused = async (run) => console.log(await Promise.resolve().then(run).then(() => 'fine', (error) => error.message));
await refused(() => session.run());
await refused(() => session.run(feeds, ['y', 'z']));
await refused(() => session.run(feeds, null));
await refused(() => session.run({ ...feeds, x: { type: 'float32', data: [1] } }));
await refused(() => session.run({ ...feeds, x: { type: 'float32', dims: [2, 3] } }));
await refused(() => session.run({ ...feeds, x: { type: 'float32', data: new BigInt64Array(6), dims: [2, 3] } }));
await refused(() => InferenceSession.create(null));
await refused(() => new InferenceSession());
await refused(() => new Tensor('toString', []));
await refused(() => new Tensor('float32'));
await refused(() => new Tensor('float32', [1], [1.5]));
await refused(() => new Tensor('float16', [1.5]));
console.log(Object.keys(await session.run(feeds, { twice: null })).join(), (await session.run(feeds, {})).y.dims.join('x'));
console.log(globalThis.Float16Array ? new Tensor('float16', Float16Array.of(1.5)).data.join() : 0x3e00);
"#;

const REFUSED: &str = "\
feeds are an object with a tensor for each input
the model has no output 'z'
fetches are an array of names of outputs, or an object with them
input 'x': the dims of a tensor are an array of integers, which are not negative
input 'x': elements of float32 are an array
input 'x': elements of float32: Cannot convert a BigInt value to a number
a module is given by its URL, its bytes, or as a WebAssembly.Module
InferenceSession.create makes sessions
tensors of toString are not supported
elements of float32 are an array
the dims of a tensor are an array of integers, which are not negative
elements of float16 are their bits, in a Uint16Array, or a Float16Array
twice 2x4
15872
";

/// The interface of onnxruntime-common's tensors.
const TENSORS: &str = r#"
import { Tensor } from './net/index.mjs';
const shown = ({ type, dims, data }) => console.log(type, dims.join('x'), data.join(), data.constructor.name);
shown(new Tensor(Float32Array.of(1, 2), [2, 1]));
shown(new Tensor(BigInt64Array.of(1n)));
shown(new Tensor(Uint16Array.of(1)));
shown(new Tensor(Uint8Array.of(1)));
shown(new Tensor(Uint8ClampedArray.of(1), []));
shown(new Tensor([true, false]));
for (const given of [[[1.5]], [], [new DataView(new ArrayBuffer(4))]])
    try { new Tensor(...given); } catch (error) { console.log(error.message); }
const tensor = new Tensor('int32', [1, 2, 3, 4]);
shown(tensor.reshape([2, 2]));
console.log(tensor.location, (await tensor.getData()) === tensor.data, tensor.reshape([4]).data === tensor.data, tensor.dispose());
"#;

const TENSORS_PRINTED: &str = "\
float32 2x1 1,2 Float32Array
int64 1 1 BigInt64Array
uint16 1 1 Uint16Array
uint8 1 1 Uint8Array
uint8  1 Uint8Array
bool 2 1,0 Uint8Array
a tensor is made of a type, elements and dims, or of a typed array or booleans and dims
a tensor is made of a type, elements and dims, or of a typed array or booleans and dims
a tensor is made of a type, elements and dims, or of a typed array or booleans and dims
int32 2x2 1,2,3,4 Int32Array
cpu true true undefined
";

/// By default one in this many cases of the backend suite is run.
const SAMPLE: usize = 64;

/// An integer that is one too large ends the run with a message.
const MODEL: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[2,3] x, int64[2] rows) => (float[2,4] y, int64[2] twice) <float[3,4] w = {1,0,0,1, 0,1,0,1, 0,0,1,1}> {
    picked = Gather (x, rows)
    y = MatMul (picked, w)
    twice = Add (rows, rows)
}"#;

const SCRIPT: &str = r#"
import { InferenceSession, Tensor } from './net/index.mjs';
const session = await InferenceSession.create();
const feeds = (rows) => ({ x: new Tensor('float32', [1, 2, 3, 4, 5, 6], [2, 3]), rows: new Tensor('int64', rows) });
console.log(session.inputNames.join(), session.outputNames.join());
for (const { name, isTensor, type, shape } of [...session.inputMetadata, ...session.outputMetadata]) console.log(name, isTensor, type, shape.join('x'));
for (const rows of [[1n, 0n], [0n, -1n]]) {
    const { y, twice } = await session.run(feeds(rows));
    console.log(y.type, y.dims.join('x'), y.data.join(), twice.data.join());
}
console.log(Object.keys(await session.run(feeds([0n, 0n]), ['twice'])).join());
const refused = async (run) => run().then(() => 'fine', (error) => error.message);
console.log(await refused(() => session.run(feeds([0n, 2n]))));
console.log(await refused(() => session.run({})));
console.log(await refused(() => session.run({ ...feeds([0n, 0n]), x: new Tensor('float32', [1], [1]) })));
"#;

const PRINTED: &str = "\
x,rows y,twice
x true float32 2x3
rows true int64 2
y true float32 2x4
twice true int64 2
float32 2x4 4,5,6,15,1,2,3,6 2,0
float32 2x4 1,2,3,6,4,5,6,15 0,-2
twice
Gather_0: Gather: an index of Gather is out of bounds
input 'x' is missing
input 'x' has shape [1], not [2,3]
";

/// Dimensions of two inputs, one of which an output has as a multiple.
const BOUNDED: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[N,2] x, float[N,M] z) => (float[N,M] y, float[K] flat) <float[2,1] w = {1,10}, int64[1] whole = {-1}> {
    sum = MatMul (x, w)
    y = Add (sum, z)
    twice = Concat <axis = 0> (y, z)
    flat = Reshape (twice, whole)
}"#;

const BOUNDED_SCRIPT: &str = r#"
import { InferenceSession, Tensor } from './bounded/index.mjs';
const session = await InferenceSession.create();
const numbers = (dims) => new Tensor('float32', Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, at) => at), dims);
const run = async (x, z) => {
    const { y, flat } = await session.run({ x: numbers(x), z: numbers(z) });
    console.log(`${y.dims.join('x')} ${y.data.join()} ${flat.dims.join('x')} ${flat.data.join()}`);
};
const refused = async (x, z) => run(x, z).catch((error) => console.log(error.message));
console.log([...session.inputMetadata, ...session.outputMetadata].map(({ shape }) => `${shape.join('x')}`).join());
await run([3, 2], [3, 1]);
await run([1, 2], [1, 2]);
await run([0, 2], [0, 2]);
await run([2, 2], [2, 0]);
await refused([4, 2], [4, 2]);
await refused([2, 2], [3, 2]);
await refused([2, 3], [2, 2]);
await refused([2], [2, 2]);
console.log(await session.run({ x: { type: 'float32', dims: [1, 2], data: [1] } }).catch((error) => error.message));
"#;

const BOUNDED_PRINTED: &str = "\
Nx2,NxM,NxM,K
3x1 10,33,56 6 10,33,56,0,1,2
1x2 10,11 4 10,11,0,1
0x2  0 
2x0  0 
input 'x' has shape [4,2], and N is at most 3
input 'z' has shape [3,2], not [2,M]
input 'x' has shape [2,3], not [2,2]
input 'x' has shape [2], not [N,2]
input 'x' has shape [1,2], but 1 elements
";

/// The program that this test was built with.
fn compiler() -> PathBuf {
    let program = std::env::current_exe().expect("a test is a program");
    onnxc(&program.parent().and_then(Path::parent).expect("it is in deps").join("onnxc")).to_path_buf()
}

/// Compiles a model to packages in a scratch folder.
struct Packages {
    onnxc: PathBuf,
    folder: PathBuf,
}

impl Packages {
    fn new(name: &str, model: &str) -> Packages {
        let folder = scratch::folder(name);
        std::fs::write(folder.join("model.onnxtxt"), model).expect("the folder can be written");
        Packages { onnxc: compiler(), folder }
    }

    /// Makes a package; returns its modules without and with fused multiply-adds, if it has them.
    fn make(&self, name: &str, options: &[&str]) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        let mut command = Command::new(&self.onnxc);
        command.arg(self.folder.join("model.onnxtxt")).args(["--emit", "npm", "--name", "net"]).args(options);
        let made = command.arg("-o").arg(self.folder.join(name)).env("WASM_LD", linker()).output();
        let made = made.expect("onnxc starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let bytes = |file: &str| std::fs::read(self.folder.join(name).join(file)).ok();
        (bytes("net.wasm"), bytes("net.relaxed.wasm"))
    }

    /// Compares what a script prints; without Node.js there is nothing to compare.
    fn expect(&self, script: &str, printed: &str) {
        std::fs::write(self.folder.join("run.mjs"), script).expect("the folder can be written");
        let Ok(run) = Command::new("node").arg(self.folder.join("run.mjs")).output() else {
            return tests::skip("node is missing");
        };
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        assert_eq!(String::from_utf8_lossy(&run.stdout), printed);
    }
}

#[test]
fn a_package_runs_in_node() {
    let packages = Packages::new("web", MODEL);
    let (plain, relaxed) = packages.make("net", &[]);
    assert!(plain.is_some() && relaxed.is_some() && plain != relaxed, "the second module fuses multiply-adds");
    let described = std::fs::read_to_string(packages.folder.join("net/package.json")).expect("it was written");
    let at = |condition: &str| described.find(condition).unwrap_or_else(|| panic!("{condition}: {described}"));
    assert!(at("\"types\":") < at("\"default\":"), "TypeScript takes the first condition that it knows");
    let parsed: serde_json::Value = serde_json::from_str(&described).expect("JSON");
    assert_eq!(parsed["files"].as_array().map(Vec::len), Some(4));
    let (fixed, relaxed) = packages.make("fixed", &["--fixed-fp"]);
    assert!(fixed.is_some() && relaxed.is_none(), "its results are those of other processors");
    packages.expect(SCRIPT, PRINTED);
    packages.expect(MISTAKES, REFUSED);
    packages.expect(TENSORS, TENSORS_PRINTED);
}

/// Weights of more than a page of memory, which are in a separate file.
const WEIGHTS: i64 = 20_000;

const LARGE_SCRIPT: &str = r#"
import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from './large/index.mjs';
const x = new Tensor('float32', [1], [1]);
const sum = async (...given) => {
    const { y } = await (await InferenceSession.create(...given)).run({ x });
    return y.data.reduce((sum, value) => sum + value, 0);
};
const own = (file) => readFileSync(new URL(`./large/${file}`, import.meta.url));
const data = own('net.data');
let seen;
console.log(await sum(), await sum(own('net.wasm'), { data }), await sum('./net.wasm', { data: './net.data', onProgress: (loaded) => (seen = loaded) }));
console.log(seen === data.length);
const refused = (data) => sum(undefined, { data }).catch((error) => error.message);
console.log(await refused(data.subarray(1)));
console.log(await refused(Buffer.concat([data, data])));
"#;

#[test]
fn modules_of_a_package_share_their_data() {
    let weights: Vec<String> = (0..WEIGHTS).map(|at| (at % 7).to_string()).collect();
    let text = "<ir_version: 10, opset_import: [\"\": 21]> g (float[1] x) => (float[@] y) <float[@] w = {#}> { y = Mul (x, w) }";
    let model = text.replace('@', &WEIGHTS.to_string()).replace('#', &weights.join(","));
    let packages = Packages::new("web-large", &model);
    let (plain, _) = packages.make("large", &[]);
    assert!(plain.is_some_and(|module| module.len() < 4 * WEIGHTS as usize));
    let sum = (0..WEIGHTS).map(|at| at % 7).sum::<i64>();
    let refused = "the data is cut short\nthe data is of another model\n";
    packages.expect(LARGE_SCRIPT, &format!("{sum} {sum} {sum}\ntrue\n{refused}"));
}

#[test]
fn a_package_with_bounded_dimensions_runs_in_node() {
    let packages = Packages::new("web-bounded", BOUNDED);
    packages.make("bounded", &["--dim", "N<=3", "--dim", "M<=2"]);
    packages.expect(BOUNDED_SCRIPT, BOUNDED_PRINTED);
}

fn run_suite(step: usize, name: &str) {
    let report =
        run_packages(&compiler(), &suite(step), &scratch::folder(name)).unwrap_or_else(|error| panic!("{error}"));
    let Some(report) = report else { return tests::skip("node is missing") };
    eprintln!("{} right, {} refused", report.right, report.refused);
    assert!(report.problems.is_empty(), "{}", report.problems.join("\n"));
    assert!(report.right > report.refused, "{} are refused", report.refused);
}

#[test]
fn cases_of_the_suite_are_right_in_node() {
    run_suite(SAMPLE, "web-sample");
}

#[test]
#[ignore = "takes minutes"]
fn all_cases_of_the_suite_are_right_in_node() {
    run_suite(1, "web-suite");
}

/// Numbers that become quantized ones and floats again: those of a NaN and of a negative zero are 0, as on other processors.
#[test]
fn quantized_numbers_are_those_of_other_processors() {
    let model = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[8] x) => (float[8] y) <float scale = {0.5}, uint8 zero = {0}> {
    q = QuantizeLinear (x, scale, zero)
    y = DequantizeLinear (q, scale, zero)
}"#;
    let script = r#"
import { InferenceSession, Tensor } from './net/index.mjs';
const session = await InferenceSession.create();
const { y } = await session.run({ x: new Tensor('float32', [NaN, -0.1, -7, 0.3, 1, 200, Infinity, -Infinity], [8]) });
console.log(Array.from(y.data, (number) => (Object.is(number, -0) ? '-0' : number)).join());
"#;
    let packages = Packages::new("web-quantized", model);
    packages.make("net", &[]);
    packages.expect(script, "0,0,0,0.5,1,127.5,127.5,0\n");
}
