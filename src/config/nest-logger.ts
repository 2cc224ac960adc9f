import { types } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

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
