import { readFile } from 'node:fs/promises';
import { text as textFrom } from 'node:stream/consumers';
import { WrongUsage } from './failures.js';
import { CLI_MESSAGES } from './messages.js';

/** A JSON object of the API. */
export type Thing = Readonly<Record<string, unknown>>;

/** True for a JSON object. */
export const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value at a path, such as `candidate.state`; undefined if there is none. */
export const valueAt = (thing: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isThing(value) ? value[name] : undefined), thing);

/** Returns the objects in a list; empty if the value is not a list. */
export const thingsIn = (value: unknown): readonly Thing[] => (Array.isArray(value) ? value.filter(isThing) : []);

/** Formats a value as human-readable text: an absent value as an empty string, objects and lists of objects as JSON. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Reads a file as text; `-` means standard input. @throws WrongUsage */
export const readInput = async (file: string): Promise<string> => {
  try {
    return file === '-' ? await textFrom(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    return failToRead(file, error);
  }
};

/** Reports that a file cannot be read. @throws WrongUsage */
export const failToRead = (file: string, error: unknown): never => {
  throw new WrongUsage(CLI_MESSAGES.unreadable({ file, reason: (error as NodeJS.ErrnoException).code ?? '' }));
};

/** Reads a JSON object from a file. @throws WrongUsage */
export const readBody = async (file: string): Promise<Thing> => {
  const text = await readInput(file);
  try {
    const value: unknown = JSON.parse(text);
    if (isThing(value)) return value;
  } catch {
    // reported below
  }
  throw new WrongUsage(CLI_MESSAGES.noJson({ file }));
};

/** Sets the member at the path in `path=json`. Treats a value that is not JSON as text. @throws WrongUsage */
export const setMember = (body: Record<string, unknown>, assignment: string): void => {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  const names = (path ?? '').split('.');
  const last = names.pop();
  if (value === undefined || !last || [...names, last].some((name) => name === '' || name === '__proto__'))
    throw new WrongUsage(CLI_MESSAGES.wrongSet({ assignment }));
  let target = body;
  for (const name of names) {
    const inner = target[name];
    target[name] = isThing(inner) ? { ...inner } : {};
    target = target[name] as Record<string, unknown>;
  }
  target[last] = readValue(value);
};

const readValue = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    // Chat ids may be too large for a JavaScript number.
    return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(text) ? text : value;
  } catch {
    return text;
  }
};
