import { KurrentDBClient } from '@kurrent/kurrentdb-client';

/**
 * Creates a client for a connection string. `esdb:` is replaced by the equivalent `kurrentdb:`, because the library prints
 * a warning about it.
 * @throws Error for an invalid string, and for an unknown option
 */
export const createClient = (connectionString: string): KurrentDBClient =>
  rejectUnknownOptions(() => KurrentDBClient.connectionString(connectionString.replace(/^esdb(?=:|\+)/, 'kurrentdb')));

/** Throws for an unknown option. The library only prints a warning, which contains the whole string with its password. */
const rejectUnknownOptions = <T>(parse: () => T): T => {
  const { warn } = console;
  let unknown: string | undefined;
  console.warn = (...words: unknown[]) => {
    const option = /^Unknown option key ".*?"/.exec(String(words[0]))?.[0];
    if (option === undefined) warn(...words);
    unknown ??= option;
  };
  try {
    const parsed = parse();
    if (unknown !== undefined) throw new Error(unknown);
    return parsed;
  } finally {
    console.warn = warn;
  }
};

/**
 * Ends a client's calls and closes its connection, which all clients for one address share. The library's own `dispose`
 * ends the calls but keeps the connection for half an hour, and there is no public way to close it.
 */
export const disposeClient = async (client: KurrentDBClient): Promise<void> => {
  await client.dispose().catch(() => undefined);
  const internals = client as unknown as { getChannel?: () => Promise<{ close(): void }> };
  internals.getChannel?.().then(
    (channel) => channel.close(),
    () => undefined,
  );
};

/** Releases a client that only reads. There is nothing to close: its native reader is freed with it. */
export const releaseReadClient = (): Promise<void> => Promise.resolve();

/**
 * A client that is created when it is first needed, and again after it broke. Reads and subscriptions have one each,
 * because a failure closes the connection for all calls of its client.
 */
export class RenewableClient {
  private current: KurrentDBClient | undefined;

  constructor(
    private readonly connectionString: string,
    private readonly retire: (client: KurrentDBClient) => Promise<void>,
  ) {}

  getClient(): KurrentDBClient {
    return (this.current ??= createClient(this.connectionString));
  }

  /** Retires a broken client. Its pending calls fail. */
  replaceClient(broken: KurrentDBClient): void {
    if (this.current !== broken) return; // another call has replaced it already
    this.current = undefined;
    void this.retire(broken);
  }

  async close(): Promise<void> {
    if (this.current) await this.retire(this.current);
  }
}
