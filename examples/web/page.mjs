// Shows what the recogniser reads in a picture that a person drops.
import { InferenceSession } from './recogniser/index.mjs';
import { tensorOf, textOf } from './recognise.mjs';

const [drop, canvas, output, times] = ['#drop', 'canvas', 'output', '#times'].map((name) => document.querySelector(name));
const characters = await (await fetch('characters.json')).json();
const begin = performance.now();
const session = await InferenceSession.create(undefined, {
  onProgress: (loaded, total) => (times.textContent = `${(loaded / 1e6).toFixed(1)} of ${total ? (total / 1e6).toFixed(1) : '?'} MB`),
});
times.textContent = `ready after ${(performance.now() - begin).toFixed(0)} ms`;

/** Draws a picture at the height of the model's input, and reads it. */
async function read(file) {
  const picture = await createImageBitmap(file);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const width = Math.min(canvas.width, Math.round((picture.width * canvas.height) / picture.height));
  context.fillStyle = 'rgb(127, 127, 127)';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, width, canvas.height);
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  const start = performance.now();
  const outputs = await session.run({ [session.inputNames[0]]: tensorOf(pixels) });
  const { text, sure } = textOf(outputs[session.outputNames[0]], characters);
  output.textContent = text || '(nothing)';
  times.textContent = `${(performance.now() - start).toFixed(0)} ms, ${(100 * sure).toFixed(0)} % sure`;
}

const take = (files) => files[0] && read(files[0]).catch((error) => (output.textContent = error.message));
drop.addEventListener('dragover', (event) => (event.preventDefault(), drop.classList.add('over')));
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  take(event.dataTransfer.files);
});
document.querySelector('input').addEventListener('change', (event) => take(event.target.files));
// index.html?picture=words.png reads a picture of the server
const picture = new URLSearchParams(location.search).get('picture');
if (picture) await read(await (await fetch(picture)).blob());
