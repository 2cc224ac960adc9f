import type { Options } from './define.js';
import { WrongUsage } from './failures.js';
import { CLI_MESSAGES } from './messages.js';

const DEFAULT_LIMIT = 50;

/** Returns how many things a list shows. @throws WrongUsage */
export const limitOf = ({ limit }: Options): number => {
  if (limit === undefined) return DEFAULT_LIMIT;
  return wholeNumber('limit', String(limit));
};

/** Reads a positive whole number. @throws WrongUsage */
export const wholeNumber = (field: string, text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new WrongUsage(CLI_MESSAGES.wrongValue({ field, type: 'number', text }));
  return Number(text);
};

/** Returns the name of a field as commander names its option: `owner_id` becomes `ownerId`. */
export const camelCase = (field: string): string =>
  field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
