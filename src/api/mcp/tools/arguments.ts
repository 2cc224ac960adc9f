import { quoteShort } from '../../../validation/wording.js';
import { TOOL_ERRORS } from '../messages.js';
import { RefusedArguments } from './tool-error.js';

/** Arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * Reads the arguments of a call. Rejects unknown arguments, because an assistant would assume that they had an effect.
 * @throws RefusedArguments
 */
export const readArguments = (args: unknown, known: readonly string[]): Arguments => {
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new RefusedArguments(TOOL_ERRORS.wrongArguments({ value: describe(args) }));
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new RefusedArguments(
      TOOL_ERRORS.unknownArgument({ name: quoteShort(unknown), known: known.join(', ') || 'none' }),
    );
  return args as Arguments;
};

/** Reads a string argument; undefined if it is absent. @throws RefusedArguments */
export const readText = (args: Arguments, name: string): string | undefined => {
  const value = args[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new RefusedArguments(TOOL_ERRORS.wrongText({ name, value: describe(value) }));
};

/** Describes a value of the wrong type, shortened. */
export const describe = (value: unknown): string => {
  if (typeof value === 'string') return quoteShort(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value);
};
