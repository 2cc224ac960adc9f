/**
 * Loaded into a gateway (`--import`) to measure how long its thread is blocked. It measures the processor time of the
 * thread between two rounds of the event loop, which does not depend on how busy the machine is. THREAD_PROBE names the
 * file that holds the longest time so far, in ms; SIGUSR2 resets it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** Processor time of the main thread, in ns: the first figure in the file. */
const spent = () => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]);

let longest = 0;
let last = spent();
const writeLongest = () => writeFileSync(process.env.THREAD_PROBE, String(longest));

setInterval(() => {
  const now = spent();
  const ms = (now - last) / 1e6;
  last = now;
  if (ms <= longest) return;
  longest = ms;
  writeLongest();
}, 1).unref();

process.on('SIGUSR2', () => {
  longest = 0;
  last = spent();
  writeLongest();
});
