import { createServer } from 'node:net';

/** First port for tests: below the range from which systems assign ports, and above the ports that `fetch` blocks. */
const FIRST_PORT = 11_000;
const PORTS_EACH = 1_000;
/** Number of ranges: one for each of Jest's workers. */
const RANGES = 9;

const first = FIRST_PORT + (Number(process.env.JEST_WORKER_ID ?? 0) % RANGES) * PORTS_EACH;
let latest = Math.floor(Math.random() * PORTS_EACH);

/**
 * Returns a free port for a server that stops and later listens again. No other test of the run gets the port in the
 * meantime.
 */
export const freePort = async (): Promise<number> => {
  latest = (latest + 1) % PORTS_EACH;
  const port = first + latest;
  const isFree = await new Promise<boolean>((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
  return isFree ? port : freePort();
};
