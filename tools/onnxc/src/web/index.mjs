// A model compiled to WebAssembly. The module has no imports; this file puts tensors into its memory.

const SIGNATURE = @SIGNATURE@;

/** A module with an instruction of relaxed-simd. */
const PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11,
];
/** The module with fused multiply-adds, if there is one and the page can run it. */
const ENDING = @RELAXED@ && WebAssembly.validate(new Uint8Array(PROBE)) ? 'relaxed.wasm' : 'wasm';
const MODULE = new URL(`./@NAME@.${ENDING}`, import.meta.url);

/** The arrays of element types, with the names of onnxruntime-common. 16-bit floats are their bits. */
const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
};

/** Bytes between the beginnings of tensors in memory. */
const ALIGNMENT = 64;
const PAGE = 65536;

const sizeOf = (dims) => dims.reduce((size, extent) => size * extent, 1);
const roundUp = (bytes, unit) => Math.ceil(bytes / unit) * unit;

export class Tensor {
  constructor(type, data, dims) {
    const Elements = ARRAYS[type];
    if (!Elements) throw new TypeError(`tensors of ${type} are not supported`);
    this.type = type;
    this.data = data instanceof Elements ? data : Elements.from(data);
    this.dims = dims ?? [this.data.length];
    this.size = sizeOf(this.dims);
    if (this.size !== this.data.length) throw new RangeError(`${this.data.length} elements do not fit the shape [${this.dims}]`);
  }
}

/** Reads a file of a page or of Node.js, and reports its progress. */
async function read(url, onProgress) {
  if (url.protocol === 'file:') return (await import('node:fs/promises')).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  if (!onProgress || !response.body) return response.arrayBuffer();
  const total = Number(response.headers.get('content-length')) || undefined;
  const parts = [];
  let loaded = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    onProgress(loaded, total);
  }
  return new Blob(parts).arrayBuffer();
}

async function compiled(source, onProgress) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  return WebAssembly.compile(await read(new URL(source, import.meta.url), onProgress));
}

export class InferenceSession {
  #exports;
  #places;

  /**
   * A session. `source` is a URL, bytes or a module, by default the file next to this one; `options.onProgress(loaded, total)`
   * is called while it is fetched.
   */
  static async create(source = MODULE, options = {}) {
    const instance = await WebAssembly.instantiate(await compiled(source, options.onProgress), {});
    return new InferenceSession(instance.exports);
  }

  constructor(exports) {
    this.#exports = exports;
    let end = roundUp(exports.__heap_base.value, ALIGNMENT);
    const place = (port) => {
      const address = end;
      end += roundUp(Math.max(sizeOf(port.shape) * ARRAYS[port.type].BYTES_PER_ELEMENT, 1), ALIGNMENT);
      return { ...port, address };
    };
    const table = (ports) => {
      const address = end;
      end += roundUp(4 * Math.max(ports.length, 1), ALIGNMENT);
      return address;
    };
    const [inputs, outputs] = [SIGNATURE.inputs, SIGNATURE.outputs].map((ports) => ports.map(place));
    this.#places = { inputs, outputs, inputTable: table(inputs), outputTable: table(outputs) };
    const missing = end - exports.memory.buffer.byteLength;
    if (missing > 0) exports.memory.grow(Math.ceil(missing / PAGE));
    for (const [address, ports] of [[this.#places.inputTable, inputs], [this.#places.outputTable, outputs]])
      new Uint32Array(exports.memory.buffer, address, ports.length).set(ports.map((port) => port.address));
    this.#check(exports.@NAME@_initialize(0, 0));
  }

  get inputNames() {
    return SIGNATURE.inputs.map((port) => port.name);
  }

  get outputNames() {
    return SIGNATURE.outputs.map((port) => port.name);
  }

  #check(status) {
    if (status === 0n) return;
    throw new Error(SIGNATURE.messages[Number(status) - 1] ?? `status ${status}`);
  }

  #view(port) {
    return new ARRAYS[port.type](this.#exports.memory.buffer, port.address, sizeOf(port.shape));
  }

  /** Runs the model on tensors by name, each with `type`, `data` and `dims`; returns its outputs, or those in `fetches`, by name. */
  async run(feeds, fetches = this.outputNames) {
    for (const port of this.#places.inputs) {
      const tensor = feeds[port.name];
      if (!tensor) throw new Error(`input '${port.name}' is missing`);
      if (tensor.type !== port.type) throw new TypeError(`input '${port.name}' has type ${tensor.type}, not ${port.type}`);
      if (`${tensor.dims}` !== `${port.shape}`) throw new RangeError(`input '${port.name}' has shape [${tensor.dims}], not [${port.shape}]`);
      this.#view(port).set(tensor.data);
    }
    this.#check(this.#exports.@NAME@_run(this.#places.inputTable, this.#places.outputTable));
    const wanted = this.#places.outputs.filter((port) => fetches.includes(port.name));
    return Object.fromEntries(wanted.map((port) => [port.name, new Tensor(port.type, this.#view(port).slice(), port.shape)]));
  }

  /** Nothing has to be released; the garbage collector frees the module's memory. */
  async release() {}
}
