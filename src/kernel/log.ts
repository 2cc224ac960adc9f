/** The logger interface that all parts use. A pino logger satisfies it. */
export interface Log {
  debug(context: object, message: string): void;
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}

/** A logger that writes nothing, for tests and tools. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Injection token for the {@link Log}. */
export const LOG = Symbol('Log');
