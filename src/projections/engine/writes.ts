import type { QueryConfig } from 'pg';
import type { Tx } from './projection.js';

/** A statement that is encoded when its turn comes. */
export interface Write {
  readonly encode: () => QueryConfig;
  /** Called once the server has executed it. */
  readonly onWritten?: () => void;
}

/** Executes writes in order. Each is encoded while the server executes the previous one. */
export const executeWrites = async (tx: Tx, writes: readonly Write[]): Promise<void> => {
  let running: Promise<void> | undefined;
  for (const { encode, onWritten } of writes) {
    const encoding = new Promise<QueryConfig>((resolve) => resolve(encode())); // at once, while the server is busy
    const [query] = await Promise.all([encoding, running]);
    running = tx.query(query).then(onWritten);
  }
  await running;
};
