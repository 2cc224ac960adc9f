/**
 * Loaded into a gateway (`--import`) to tell how long its thread was worked without a break. What counts is the
 * processor time that the thread had between two rounds of its event loop: unlike the time that passed, it is the
 * gateway's own, however busy the machine is. THREAD_PROBE names the file that holds the longest so far, ms; SIGUSR2
 * begins anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** Processor time of the main thread, ns: the first figure there. */
const spent = () => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]);

let longest = 0;
let last = spent();
const tell = () => writeFileSync(process.env.THREAD_PROBE, String(longest));

setInterval(() => {
  const now = spent();
  const ms = (now - last) / 1e6;
  last = now;
  if (ms <= longest) return;
  longest = ms;
  tell();
}, 1).unref();

process.on('SIGUSR2', () => {
  longest = 0;
  last = spent();
  tell();
});
