// What a client uses of onnxruntime-web, on packages of `onnxc --emit npm`: the package of a model has the name of its file, and is in the
// folder of this file.
export { Tensor } from './melspectrogram/index.mjs';

export const env = { wasm: {} };

export const InferenceSession = {
  async create(path, options) {
    const [, name] = /([^/]*)\.onnx$/.exec(path);
    const { InferenceSession } = await import(`./${name}/index.mjs`);
    return InferenceSession.create(undefined, options);
  },
};
