/** The array of a tensor's elements; floats of 8 and 16 bits are their bits. */
export type Data =
  | Float32Array | Float64Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array;

/** What a session takes: also a tensor of onnxruntime-common. */
export interface TensorLike {
  readonly type: string;
  readonly data: ArrayLike<number> | ArrayLike<bigint>;
  readonly dims: readonly number[];
}

export declare class Tensor implements TensorLike {
  constructor(type: string, data: Data | readonly number[] | readonly bigint[], dims?: readonly number[]);
  /** A tensor of the type of an array; a Uint16Array has integers. */
  constructor(data: Data | Uint8ClampedArray | readonly boolean[], dims?: readonly number[]);
  readonly type: string;
  readonly data: Data;
  readonly dims: readonly number[];
  readonly size: number;
  readonly location: 'cpu';
  getData(): Promise<Data>;
  reshape(dims: readonly number[]): Tensor;
  dispose(): void;
}

/** An input or an output. An extent is a number, the name of a dimension, or -1 if it is neither. */
export interface TensorMetadata {
  readonly name: string;
  readonly isTensor: true;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

export interface CreateOptions {
  /** The module's data, if the package has a file with it; by default that file. */
  data?: string | URL | ArrayBuffer | Uint8Array;
  /** Called while the data is fetched, or the module that contains it; `total` is undefined where the server does not say it. */
  onProgress?(loaded: number, total?: number): void;
}

export declare class InferenceSession {
  /** A session; `source` is by default the module next to this file. */
  static create(source?: string | URL | ArrayBuffer | Uint8Array | WebAssembly.Module, options?: CreateOptions): Promise<InferenceSession>;
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly TensorMetadata[];
  readonly outputMetadata: readonly TensorMetadata[];
  /** Runs the model. Rejects where an input is missing or has another type or shape, and where the run fails. */
  run(feeds: Readonly<Record<string, TensorLike>>, fetches?: readonly string[] | Readonly<Record<string, unknown>>): Promise<Record<string, Tensor>>;
  release(): Promise<void>;
}
