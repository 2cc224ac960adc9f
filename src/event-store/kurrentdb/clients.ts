import { KurrentDBClient } from '@kurrent/kurrentdb-client';

/**
 * A client for a connection string. The library warns on stderr about `esdb:`, which is as good as `kurrentdb:`.
 * @throws Error for a string that it does not understand, an option that it does not know included
 */
export const connect = (connectionString: string): KurrentDBClient =>
  refusingUnknownOptions(() =>
    KurrentDBClient.connectionString(connectionString.replace(/^esdb(?=:|\+)/, 'kurrentdb')),
  );

/** Of an unknown option the library only warns, on the console, and shows the whole string with its password there. */
const refusingUnknownOptions = <T>(parse: () => T): T => {
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
 * Ends what a client has under way and lets go of its connection, which all clients for one address share: the
 * library's own `dispose` ends the calls but keeps the connection for half an hour, and has no public way to close it.
 */
export const dispose = async (client: KurrentDBClient): Promise<void> => {
  await client.dispose().catch(() => undefined);
  const internals = client as unknown as { getChannel?: () => Promise<{ close(): void }> };
  internals.getChannel?.().then(
    (channel) => channel.close(),
    () => undefined,
  );
};

/** Lets go of a client that has only read: its native reader goes with it. */
export const release = (): Promise<void> => Promise.resolve();

/**
 * A client that is made when it is first needed, and made anew when the old one is broken. Reads and subscriptions
 * have one each: a failure of one kind closes the connection under everything else that its client does.
 */
export class RenewableClient {
  private current: KurrentDBClient | undefined;

  constructor(
    private readonly connectionString: string,
    private readonly retire: (client: KurrentDBClient) => Promise<void>,
  ) {}

  get(): KurrentDBClient {
    return (this.current ??= connect(this.connectionString));
  }

  /** Retires a client that does not work any more; whatever it still has under way fails. */
  renew(broken: KurrentDBClient): void {
    if (this.current !== broken) return; // another call has seen it first
    this.current = undefined;
    void this.retire(broken);
  }

  async close(): Promise<void> {
    if (this.current) await this.retire(this.current);
  }
}
