/** What the inside needs of a logger; pino fits as it is. */
export interface Log {
  debug(context: object, message: string): void;
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}

/** Says nothing; for tests and tools. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Injection token of the {@link Log}. */
export const LOG = Symbol('Log');
