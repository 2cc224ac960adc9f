import { createServer } from 'node:net';

/** Below the range that systems use for port 0 and for outgoing connections. Browsers refuse some ports below it. */
const FIRST_PORT = 11_000;
const PORTS_EACH = 1_000;
/** Number of Jest's workers that have ports of their own. */
const WORKERS = 9;

const first = FIRST_PORT + (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS) * PORTS_EACH;
let latest = Math.floor(Math.random() * PORTS_EACH);

/**
 * Returns a free port for a server that may stop and listen on it again: no other test of this run gets the same port
 * meanwhile.
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
