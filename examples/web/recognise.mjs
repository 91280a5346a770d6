// Pictures to the input of the text recogniser, and its output to text.
import { Tensor } from './recogniser/index.mjs';

/** Pixels in rows of red, green, blue and alpha bytes to planes of blue, green and red between -1 and 1. */
export function tensorOf({ data, width, height }) {
  const size = width * height;
  const planes = new Float32Array(3 * size);
  for (let pixel = 0; pixel < size; pixel++)
    for (let channel = 0; channel < 3; channel++) planes[channel * size + pixel] = data[4 * pixel + 2 - channel] / 127.5 - 1;
  return new Tensor('float32', planes, [1, 3, height, width]);
}

/** The most likely character at each step; repetitions and blanks are left out. `sure` is the mean of their probabilities. */
export function textOf({ data, dims }, characters) {
  const [, steps, classes] = dims;
  let [text, sum, count, before] = ['', 0, 0, 0];
  for (let step = 0; step < steps; step++) {
    const row = data.subarray(step * classes, (step + 1) * classes);
    const best = row.reduce((best, value, at) => (value > row[best] ? at : best), 0);
    if (best !== 0 && best !== before) text += characters[best];
    if (best !== 0) [sum, count] = [sum + row[best], count + 1];
    before = best;
  }
  return { text: text.trim(), sure: count ? sum / count : 0 };
}
