import { type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import { redact } from './redact.js';
import type { Settings } from './settings.js';

const STDERR = 2;

/**
 * The process's logger: to stderr, one JSON object a line, or readable text on a terminal. Writes at once, so that a
 * crash loses nothing; fields named like secrets are masked.
 */
export const createLogger = (settings: Pick<Settings, 'logLevel'>): Logger =>
  pino(
    {
      level: settings.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redact(fields) as Record<string, unknown>,
      },
      serializers: { err: (error: Error) => redact(stdSerializers.err(error)) },
    },
    process.stderr.isTTY
      ? pretty({ destination: STDERR, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' })
      : pino.destination({ fd: STDERR, sync: true }),
  );
