// A model compiled to WebAssembly. The module has no imports; this file puts tensors into its memory.

const SIGNATURE = @SIGNATURE@;

/** A module with an instruction of relaxed-simd. */
const PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11,
];
/** The module with fused multiply-adds, if there is one and the page can run it. */
const ENDING = @RELAXED@ && WebAssembly.validate(new Uint8Array(PROBE)) ? 'relaxed.wasm' : 'wasm';
const MODULE = new URL(`./@NAME@.${ENDING}`, import.meta.url);
/** The file with the module's data, if it is not in the module: the parts of it that SIGNATURE.data lists, one after the other. */
const DATA = SIGNATURE.data.length ? new URL('./@NAME@.data', import.meta.url) : undefined;

/** The arrays of element types, with the names of onnxruntime-common. Floats of 8 and 16 bits are their bits. */
const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  float8e4m3fn: Uint8Array,
  float8e4m3fnuz: Uint8Array,
  float8e5m2: Uint8Array,
  float8e5m2fnuz: Uint8Array,
  float8e8m0: Uint8Array,
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

/** The greatest extents of named dimensions, in the order in which a run is passed their extents. */
const GREATEST = new Map(SIGNATURE.dimensions);

/** Whether the elements of a type are passed as their bits. */
const isBits = (type) => type !== 'float32' && type !== 'float64' && /float/.test(type);

/** Whether an array is a Float16Array, which older engines do not have. */
const isHalves = (data) => globalThis.Float16Array && data instanceof Float16Array;

/** The elements of a tensor as the array of their type. */
function elementsOf(type, data) {
  const Elements = ARRAYS[type];
  if (data instanceof Elements) return data;
  if (type === 'float16' && isHalves(data))
    return new Elements(data.buffer, data.byteOffset, data.length);
  if (isBits(type) && data?.length !== 0) throw new TypeError(`elements of ${type} are their bits, in a ${Elements.name}${type === 'float16' ? ', or a Float16Array' : ''}`);
  if (typeof data !== 'object' || !Number.isSafeInteger(data?.length)) throw new TypeError(`elements of ${type} are an array`);
  try {
    return Elements === BigInt64Array || Elements === BigUint64Array ? Elements.from(data, BigInt) : Elements.from(data);
  } catch (error) {
    throw new TypeError(`elements of ${type}: ${error.message}`);
  }
}

/** The extents of a tensor. */
function extentsOf(dims) {
  const isExtent = (extent) => Number.isSafeInteger(extent) && extent >= 0;
  if (!Array.isArray(dims) || !dims.every(isExtent)) throw new TypeError('the dims of a tensor are an array of integers, which are not negative');
  return dims;
}

/** The type of elements that are passed without it. */
function typeOf(data) {
  if (Array.isArray(data) && typeof data[0] === 'boolean') return 'bool';
  if (isHalves(data)) return 'float16';
  if (data instanceof Uint8ClampedArray) return 'uint8';
  const type = Object.keys(ARRAYS).find((type) => !isBits(type) && data instanceof ARRAYS[type]);
  if (!type) throw new TypeError('a tensor is made of a type, elements and dims, or of a typed array or booleans and dims');
  return type;
}

const sizeOf = (dims) => dims.reduce((size, extent) => size * extent, 1);
const roundUp = (bytes, unit) => Math.ceil(bytes / unit) * unit;

export class Tensor {
  constructor(type, data, dims) {
    if (typeof type !== 'string') [type, data, dims] = [typeOf(type), type, data];
    if (!Object.hasOwn(ARRAYS, type)) throw new TypeError(`tensors of ${String(type)} are not supported`);
    this.type = type;
    this.data = elementsOf(type, data);
    this.dims = extentsOf(dims ?? [this.data.length]);
    this.size = sizeOf(this.dims);
    if (this.size !== this.data.length) throw new RangeError(`${this.data.length} elements do not fit the shape [${this.dims}]`);
  }

  get location() {
    return 'cpu';
  }

  async getData() {
    return this.data;
  }

  /** A tensor of another shape with the same elements, which are not copied. */
  reshape(dims) {
    return new Tensor(this.type, this.data, dims);
  }

  /** Nothing has to be released; the garbage collector frees the elements. */
  dispose() {}
}

const isBytes = (source) => source instanceof ArrayBuffer || ArrayBuffer.isView(source);
const bytesOf = (part) => (part instanceof ArrayBuffer ? new Uint8Array(part) : new Uint8Array(part.buffer, part.byteOffset, part.byteLength));

async function* partsOf(body) {
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Begins to read a file of a page or of Node.js: its parts, and its length if the server says it. */
async function open(source) {
  if (isBytes(source)) return { parts: [bytesOf(source)] };
  const url = new URL(source, import.meta.url);
  if (url.protocol === 'file:') return { parts: (await import('node:fs')).createReadStream(url, { highWaterMark: 1 << 20 }) };
  const response = await fetch(url).catch((error) => {
    throw new Error(`${url}: ${error.message}`);
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return { parts: partsOf(response.body), total: Number(response.headers.get('content-length')) || undefined };
}

/** The parts of a file that was opened. Reports their progress. */
async function* read(opened, onProgress) {
  const { parts, total } = await opened;
  let loaded = 0;
  for await (const part of parts) {
    yield part;
    loaded += part.length;
    onProgress?.(loaded, total);
  }
}

async function compiled(source, onProgress) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source !== 'string' && !(source instanceof URL) && !isBytes(source))
    throw new TypeError('a module is given by its URL, its bytes, or as a WebAssembly.Module');
  if (isBytes(source)) return WebAssembly.compile(source);
  const parts = [];
  for await (const part of read(open(source), onProgress)) parts.push(part);
  return WebAssembly.compile(await new Blob(parts).arrayBuffer());
}

/** Puts the module's data into its memory. */
async function fill(memory, opened, onProgress) {
  const places = SIGNATURE.data.map(([address, length]) => new Uint8Array(memory.buffer, address, length));
  for await (let part of read(opened, onProgress))
    while (part.length) {
      if (!places.length) throw new RangeError('the data is of another model');
      const next = part.subarray(0, places[0].length);
      places[0].set(next);
      part = part.subarray(next.length);
      if (next.length < places[0].length) places[0] = places[0].subarray(next.length);
      else places.shift();
    }
  if (places.length) throw new RangeError('the data is cut short');
}

const metadataOf = ({ name, type, shape }) => ({ name, isTensor: true, type, shape: shape.map((extent) => extent ?? -1) });

export class InferenceSession {
  #exports;
  #places;

  /**
   * A session. `source` is a URL, bytes or a module, by default the file next to this one; `options.data` is the same of the
   * file with its data, if it has one. `options.onProgress(loaded, total)` is called while the larger of the files is fetched.
   */
  static async create(source = MODULE, options) {
    const { data = DATA, onProgress } = options ?? {};
    // both files are fetched at once
    const [instance, opened] = await Promise.all([
      compiled(source, DATA ? undefined : onProgress).then((module) => WebAssembly.instantiate(module, {})),
      DATA && open(data),
    ]);
    if (!instance.exports.@NAME@_run) throw new Error('the module is of another model');
    if (opened) await fill(instance.exports.memory, opened, onProgress);
    return new InferenceSession(instance.exports);
  }

  /** Takes the exports of a module; `create` makes sessions. */
  constructor(exports) {
    if (!exports?.@NAME@_run) throw new TypeError('InferenceSession.create makes sessions');
    this.#exports = exports;
    let end = roundUp(exports.__heap_base.value, ALIGNMENT);
    const reserve = (bytes) => {
      const address = end;
      end += roundUp(Math.max(bytes, 1), ALIGNMENT);
      return address;
    };
    const mostBytes = ({ type, shape }) => sizeOf(shape.map((extent) => GREATEST.get(extent) ?? extent)) * ARRAYS[type].BYTES_PER_ELEMENT;
    const inputs = SIGNATURE.inputs.map((port) => ({ ...port, address: reserve(mostBytes(port)) }));
    const outputs = SIGNATURE.outputs.map((port, at) => ({ ...port, address: reserve(SIGNATURE.outputBytes[at] ?? mostBytes(port)) }));
    const rank = outputs.reduce((sum, port) => sum + port.shape.length, 0);
    this.#places = {
      inputs,
      outputs,
      inputTable: reserve(4 * inputs.length),
      outputTable: reserve(4 * outputs.length),
      dimensions: reserve(8 * GREATEST.size),
      outputExtents: reserve(8 * rank),
    };
    const missing = end - exports.memory.buffer.byteLength;
    try {
      if (missing > 0) exports.memory.grow(Math.ceil(missing / PAGE));
    } catch {
      throw new RangeError(`the model needs ${end} bytes of memory, which are not available`);
    }
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

  /** Names, types and shapes; an extent is a number, the name of a dimension, or -1 if it is neither. */
  get inputMetadata() {
    return SIGNATURE.inputs.map(metadataOf);
  }

  get outputMetadata() {
    return SIGNATURE.outputs.map(metadataOf);
  }

  #check(status) {
    if (status === 0n) return;
    throw new Error(SIGNATURE.messages[Number(status) - 1] ?? `status ${status}`);
  }

  #view({ type, address }, shape) {
    return new ARRAYS[type](this.#exports.memory.buffer, address, sizeOf(shape));
  }

  /** Puts an input into the memory. `extents` has those of dimensions of the inputs before, and gets those of this one. */
  #feed(port, tensor, extents) {
    if (!tensor) throw new Error(`input '${port.name}' is missing`);
    const given = (make) => {
      try {
        return make();
      } catch (error) {
        throw new TypeError(`input '${port.name}': ${error.message}`);
      }
    };
    if (tensor.type !== port.type) throw new TypeError(`input '${port.name}' has type ${tensor.type}, not ${port.type}`);
    const refused = (why) => new RangeError(`input '${port.name}' has shape [${tensor.dims}], ${why}`);
    const known = (extent) => (typeof extent === 'number' ? extent : extents.get(extent));
    const unlike = () => refused(`not [${port.shape.map((extent) => known(extent) ?? extent)}]`);
    const dims = given(() => extentsOf(tensor.dims));
    const data = given(() => elementsOf(port.type, tensor.data));
    if (dims.length !== port.shape.length) throw unlike();
    port.shape.forEach((extent, axis) => {
      const own = dims[axis];
      if ((known(extent) ?? own) !== own) throw unlike();
      if (typeof extent === 'number') return;
      if (own > GREATEST.get(extent)) throw refused(`and ${extent} is at most ${GREATEST.get(extent)}`);
      extents.set(extent, own);
    });
    if (data.length !== sizeOf(dims)) throw refused(`but ${data.length} elements`);
    this.#view(port, dims).set(port.type === 'bool' ? data.map((byte) => byte !== 0) : data);
  }

  /** Runs the module on the inputs in its memory, and returns the shapes of the outputs. */
  #call(extents) {
    const { inputTable, outputTable, dimensions, outputExtents, outputs } = this.#places;
    const { memory, @NAME@_run: run } = this.#exports;
    if (GREATEST.size === 0) {
      this.#check(run(inputTable, outputTable));
      return outputs.map((port) => port.shape);
    }
    const given = [...GREATEST.keys()].map((name) => BigInt(extents.get(name) ?? 0));
    new BigInt64Array(memory.buffer, dimensions, GREATEST.size).set(given);
    this.#check(run(inputTable, outputTable, dimensions, outputExtents));
    let next = outputExtents;
    return outputs.map(({ shape }) => {
      const found = Array.from(new BigInt64Array(memory.buffer, next, shape.length), Number);
      next += 8 * shape.length;
      return found;
    });
  }

  /** The names of outputs in an array, or those that are keys of an object; all if it has none. */
  #fetched(fetches) {
    const all = this.outputNames;
    if (fetches === undefined) return all;
    if (typeof fetches !== 'object' || fetches === null) throw new TypeError('fetches are an array of names of outputs, or an object with them');
    if (!Array.isArray(fetches)) {
      const names = all.filter((name) => Object.hasOwn(fetches, name));
      return names.length ? names : all;
    }
    const unknown = fetches.find((name) => !all.includes(name));
    if (unknown !== undefined) throw new RangeError(`the model has no output '${unknown}'`);
    return fetches;
  }

  /** Runs the model on tensors by name, each with `type`, `data` and `dims`; returns its outputs, or those in `fetches`, by name. */
  async run(feeds, fetches) {
    if (typeof feeds !== 'object' || feeds === null) throw new TypeError('feeds are an object with a tensor for each input');
    const names = this.#fetched(fetches);
    const { inputs, outputs } = this.#places;
    const extents = new Map();
    for (const port of inputs) this.#feed(port, feeds[port.name], extents);
    const shapes = this.#call(extents);
    const results = outputs.map((port, at) => [port.name, port, shapes[at]]).filter(([name]) => names.includes(name));
    return Object.fromEntries(results.map(([name, port, shape]) => [name, new Tensor(port.type, this.#view(port, shape).slice(), shape)]));
  }

  /** Nothing has to be released; the garbage collector frees the module's memory. */
  async release() {}
}
