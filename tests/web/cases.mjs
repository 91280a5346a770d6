// node cases.mjs CASES: runs packages of `onnxc --emit npm`.
//
// CASES is JSON: for each case the folder of its package, the type, the shape and the file of each input, and a file for each output. Prints
// a line for each case, which is empty or the error.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const lines = [];
for (const { folder, inputs, outputs } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  try {
    const { InferenceSession, Tensor } = await import(pathToFileURL(`${folder}/index.mjs`).href);
    const session = await InferenceSession.create();
    const tensor = ({ type, shape, file }) => {
      const { data } = new Tensor(type, [], [0]);
      const { buffer, byteOffset, byteLength } = readFileSync(file);
      return new Tensor(type, new data.constructor(buffer.slice(byteOffset, byteOffset + byteLength)), shape);
    };
    const results = await session.run(Object.fromEntries(session.inputNames.map((name, at) => [name, tensor(inputs[at])])));
    session.outputNames.forEach((name, at) => writeFileSync(outputs[at], new Uint8Array(results[name].data.buffer)));
    lines.push('');
  } catch (error) {
    lines.push(error.message.replaceAll('\n', ' '));
  }
}
console.log(lines.join('\n'));
