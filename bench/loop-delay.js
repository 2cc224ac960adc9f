/**
 * Preloaded into a process (`--import`): writes the longest delay of its event loop in each 100 ms, in ms, to the file
 * named by LOOP_DELAY_FILE, as lines `<time> <delay>`.
 */
import { createWriteStream } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 5 });
const file = createWriteStream(process.env.LOOP_DELAY_FILE);
delay.enable();
setInterval(() => {
  file.write(`${Date.now()} ${(delay.max / 1_000_000).toFixed(1)}\n`);
  delay.reset();
}, 100).unref();
