// web.mjs PACKAGE MODEL FEEDS RUNTIME ROUNDS: a model as a package of `onnxc --emit npm` and in onnxruntime-web, alternating, on one thread.
//
// FEEDS is JSON: each input's name, type, shape, and file of elements. Prints JSON: milliseconds to the first result and of the median run, the
// largest difference of float outputs, relative to the largest element of the output, and the bytes of our module's memory.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , folder, model, described, runtime, rounds] = process.argv;
const ort = await import(pathToFileURL(`${runtime}/node_modules/onnxruntime-web/dist/ort.node.min.mjs`).href);
ort.env.wasm.numThreads = 1;

const ARRAYS = { float32: Float32Array, float64: Float64Array, int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array, int8: Int8Array, bool: Uint8Array };
const parts = JSON.parse(readFileSync(described, 'utf8')).map(({ name, type, shape, file }) => {
    const bytes = readFileSync(file);
    return { name, type, shape, data: new ARRAYS[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)) };
});
const feeds = (Tensor) => Object.fromEntries(parts.map(({ name, type, shape, data }) => [name, new Tensor(type, data, shape)]));

const first = async (create, Tensor) => {
    const begin = performance.now();
    const session = await create();
    const results = await session.run(feeds(Tensor));
    return { session, results, time: performance.now() - begin, run: () => session.run(feeds(Tensor)) };
};
const options = { executionProviders: ['wasm'], graphOptimizationLevel: 'all' };
const theirs = await first(() => ort.InferenceSession.create(readFileSync(model), options), ort.Tensor);
const { instantiate } = WebAssembly;
let memory;
WebAssembly.instantiate = async (...given) => {
    const instance = await instantiate(...given);
    ({ memory } = instance.exports);
    return instance;
};
const own = await import(pathToFileURL(`${folder}/index.mjs`).href);
const ours = await first(() => own.InferenceSession.create(), own.Tensor);

const isFloat = ({ type }) => type.startsWith('float');
const reach = (data) => data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const difference = Math.max(0, ...Object.entries(theirs.results).filter(([, tensor]) => isFloat(tensor)).map(([name, { data }]) =>
    reach(data.map((value, at) => value - ours.results[name].data[at])) / (reach(data) || 1)));

const times = { ours: [], theirs: [] };
for (let round = 0; round < Number(rounds); round++) {
    for (const [side, { run }] of [['theirs', theirs], ['ours', ours]]) {
        const begin = performance.now();
        await run();
        times[side].push(performance.now() - begin);
    }
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
console.log(JSON.stringify({ ours: median(times.ours), theirs: median(times.theirs), first: [ours.time, theirs.time], difference, memory: memory.buffer.byteLength }));
process.exit(0);
