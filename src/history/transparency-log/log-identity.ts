/** Name of the transparency log's checkpoint in `ops_checkpoint`. */
export const LOG_CHECKPOINT = 'saga/write-transparency-log';

/** Name and key of the log. */
export interface LogIdentity {
  /** HISTORY_ORIGIN. If null, an existing log keeps its origin and a new log derives one from the base URL. */
  readonly origin: string | null;
  /** Base URL of this process; empty until it is known. */
  readonly baseUrl: string;
  /** Seed of the first log's signing key, 32 bytes. The seeds of later logs are derived from it. */
  readonly key: Buffer;
  /** Key for the seals (ADR-143). */
  readonly sealKey: Buffer;
}

/** Injection token for the {@link LogIdentity}. */
export const LOG_IDENTITY = Symbol('LogIdentity');

/** Returns the default origin: the base URL without its scheme, plus `/history`. Escapes `+`, which is not allowed. */
export const originOf = (baseUrl: string): string =>
  `${baseUrl.replace(/^[a-z]+:\/\//i, '').replaceAll('+', '%2B')}/history`;
