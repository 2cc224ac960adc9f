import { types } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import { reasonOf } from '../kernel/result.js';
import { redact } from './redact.js';
import type { Settings } from './settings.js';

/** Maximum number of characters buffered for stderr; a line that would exceed the limit is dropped (ADR-89). */
const MAX_WAITING = 1_048_576;
/** How long an exiting process waits for its log to be read, in ms. */
const FLUSH_MS = 1_000;

let droppedLines = 0;

/** Returns the number of log lines that this process has dropped because nothing read its stderr. */
export const countDroppedLogLines = (): number => droppedLines;

/**
 * Writes log lines to stderr without ever waiting for the reader (ADR-89). Normally writes each line at once. If a pipe
 * is full, buffers lines in memory up to a limit, then drops and counts them.
 */
export class LogOutput {
  private reportedLines = droppedLines;

  /** @param reportDropped logs how many lines were dropped; called when the reader has caught up */
  constructor(private readonly reportDropped: (lines: number) => void) {
    process.stderr.on('error', () => undefined); // if the reader closes it, the process continues without a log
    process.stderr.on('drain', () => this.report());
  }

  write(line: string): void {
    if (process.stderr.writableLength + line.length > MAX_WAITING) droppedLines += 1;
    else process.stderr.write(line);
  }

  private report(): void {
    const lines = droppedLines - this.reportedLines;
    this.reportedLines = droppedLines;
    if (lines > 0) this.reportDropped(lines);
  }
}

/** Exits once the log is written, or after a second if nothing reads it. */
export const exitAfterLog = (code: number): void => {
  setTimeout(() => process.exit(code), FLUSH_MS);
  process.stderr.write('', () => process.exit(code));
};

/** Picks the fields of an error that are safe to log; others may contain a request, a row or a secret. */
const describeError = (error: unknown): unknown => {
  if (!types.isNativeError(error)) return redact(error);
  const { type, message, stack, code } = stdSerializers.err(error);
  return { type, message: message || reasonOf(error), code: code as unknown, stack };
};

/**
 * Creates the process's logger. It writes to stderr: one JSON object per line, or readable text on a terminal. It never
 * waits for the reader of a pipe (ADR-89), and masks fields whose names suggest secrets.
 */
export const createLogger = (settings: Pick<Settings, 'logLevel'>): Logger => {
  const logger = pino(
    {
      level: settings.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redact(fields) as Record<string, unknown>,
      },
      serializers: { err: describeError },
    },
    process.stderr.isTTY
      ? pretty({ destination: process.stderr.fd, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' })
      : new LogOutput((lines) => logger.warn({ lines }, 'dropped log lines: nothing read stderr fast enough')),
  );
  return logger;
};

/**
 * Passes NestJS's log messages to the process's logger. NestJS passes the message, then the caller's details (an
 * error's stack), and last the context, a class name.
 */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  /** NestJS logs each module and route at this level: useful for debugging only. */
  log = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  warn = (message: unknown, ...rest: unknown[]): void => this.write('warn', message, rest);
  error = (message: unknown, ...rest: unknown[]): void =>
    // NestJS logs an error that prevents startup before throwing it; the caller reports the error.
    this.write(rest.at(-1) === 'ExceptionHandler' ? 'debug' : 'error', message, rest);
  fatal = (message: unknown, ...rest: unknown[]): void => this.write('fatal', message, rest);
  debug = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  verbose = (message: unknown, ...rest: unknown[]): void => this.write('trace', message, rest);

  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    const others = (context === undefined ? rest : rest.slice(0, -1)).filter((item) => item !== undefined);
    const fields = { ...(context !== undefined && { context }), ...(others.length > 0 && { detail: others }) };
    if (types.isNativeError(message)) this.logger[level]({ ...fields, err: message });
    else if (typeof message === 'string') this.logger[level](fields, message);
    else this.logger[level]({ ...fields, detail: [message, ...others] });
  }
}
