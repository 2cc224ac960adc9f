import { readFile } from 'node:fs/promises';
import { text as textFrom } from 'node:stream/consumers';
import { WrongUsage } from './failures.js';
import { isThing, type Thing } from './json.js';
import { CLI_MESSAGES } from './messages.js';

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
