import { types } from 'node:util';
import { type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import { reasonOf } from '../kernel/reason.js';
import { LogOutput } from './log-output.js';
import { redact } from './redact.js';
import type { Settings } from './settings.js';

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
