import { readFile } from 'node:fs/promises';
import { text as textFrom } from 'node:stream/consumers';
import { stripVTControlCharacters, styleText } from 'node:util';
import { CLI_MESSAGES } from './messages.js';

/** The gateway refused the request, or the command failed. The exit code is 1. */
export class Failure extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** HTTP status; null unless the gateway responded with an error. */
    readonly status: number | null = null,
  ) {
    super(`${code}: ${message}`);
  }
}

/** The command's arguments are not valid. The exit code is 2. */
export class WrongUsage extends Error {}

/** The gateway did not respond. The exit code is 3. */
export class NotReachable extends Error {
  /** True if the request may have arrived. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, options: { cause?: unknown; mayHaveArrived?: boolean } = {}) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived ?? false;
  }
}

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

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

interface OutputOptions {
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Whether to print API responses unchanged. */
  readonly json: boolean;
  readonly plain: boolean;
}

/** A table column: the path of its value, and a title unless the title is derived from the path. */
export type Column = string | readonly [title: string, path: string];

const GOOD = new Set(['ok', 'published', 'live', 'level', 'done', 'accepted', 'delivered', 'true']);
const BAD = new Set(['failed', 'in_doubt', 'stopped', 'needs_attention', 'rejected', 'false', 'disabled']);
const WAITING = new Set(['queued', 'publishing', 'rebuilding', 'running', 'pending', 'paused', 'warning']);

/** Interval between progress lines if stderr is not a terminal, in ms. */
const LINE_MS = 3_000;
const BAR_WIDTH = 24;

/** Prints human-readable text on a terminal, and JSON everywhere else. */
export class Output {
  private lastLineAt = 0;

  constructor(private readonly options: OutputOptions) {}

  /** True if output is printed as JSON. */
  get isJson(): boolean {
    return this.options.json || !this.options.stdout.isTTY;
  }

  answer(answer: unknown): void {
    if (!this.isJson) this.details(isThing(answer) ? answer : {});
    else this.line(typeof answer === 'string' ? answer.trimEnd() : JSON.stringify(answer));
  }

  /** Prints JSON lines, or a table. */
  async list(things: AsyncIterable<Thing> | Iterable<Thing>, columns: readonly Column[]): Promise<void> {
    if (this.isJson) {
      for await (const thing of things) this.line(JSON.stringify(thing));
      return;
    }
    const paths = columns.map((column) => (typeof column === 'string' ? column : column[1]));
    const rows: string[][] = [];
    for await (const thing of things) rows.push(paths.map((path) => clean(textOf(valueAt(thing, path)))));
    this.table(columns.map(titleOf), rows);
  }

  /** Prints the members of an object, one per line. */
  details(thing: Thing, indent = ''): void {
    const width = Math.max(0, ...Object.keys(thing).map((name) => name.length));
    for (const [name, value] of Object.entries(thing)) {
      const isTree = typeof value === 'object' && value !== null && textOf(value) === JSON.stringify(value);
      if (!isTree) this.line(`${indent}${this.style('cyan', name.padEnd(width))}  ${this.state(clean(textOf(value)))}`);
      else {
        this.line(`${indent}${this.style('cyan', name)}`);
        for (const [key, item] of Object.entries(value as Record<string, unknown>)) {
          if (typeof item === 'object' && item !== null && Array.isArray(value)) {
            this.details(item as Thing, `${indent}  `);
            this.line('');
          } else this.details({ [key]: item }, `${indent}  `);
        }
      }
    }
  }

  /** Prints a line of the result. */
  line(text: string): void {
    this.options.stdout.write(`${text}\n`);
  }

  /** Prints words on one line, with states in colour. */
  states(words: readonly string[]): void {
    this.line(words.map((word) => this.state(clean(word))).join('  '));
  }

  raw(text: string | Uint8Array): void {
    this.options.stdout.write(text);
  }

  /** Prints a line that is not part of the result. */
  note(text: string): void {
    this.options.stderr.write(`${text}\n`);
  }

  /** Shows progress: as a bar on a terminal, otherwise as a line every few seconds. */
  progress(fraction: number, text: string): void {
    const { stderr } = this.options;
    const share = Math.min(1, Math.max(0, fraction));
    const percent = `${Math.floor(share * 100)} %`;
    if (stderr.isTTY) {
      const full = Math.round(share * BAR_WIDTH);
      stderr.write(`\r\u001b[K[${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}] ${percent}  ${clean(text)}`);
    } else if (performance.now() - this.lastLineAt > LINE_MS || this.lastLineAt === 0) {
      this.lastLineAt = performance.now();
      stderr.write(`${percent}  ${clean(text)}\n`);
    }
  }

  /** Removes the progress bar. */
  endProgress(): void {
    if (this.options.stderr.isTTY) this.options.stderr.write('\r\u001b[K');
  }

  /** Colours a word if it names a state. */
  state(word: string): string {
    const name = word.trim();
    if (GOOD.has(name)) return this.style('green', word);
    if (BAD.has(name) || name.startsWith('rejected_')) return this.style('red', word);
    return WAITING.has(name) ? this.style('yellow', word) : word;
  }

  private table(titles: readonly string[], rows: readonly (readonly string[])[]): void {
    const widths = titles.map((title, i) => Math.max(title.length, ...rows.map((row) => [...(row[i] ?? '')].length)));
    const room = this.options.stdout.columns ?? 80;
    const print = (cells: readonly string[], paint: (cell: string, padded: string) => string): void => {
      let left = room;
      const parts = cells.map((cell, i) => {
        const shown = [...cell].length > left && left > 1 ? `${[...cell].slice(0, left - 1).join('')}…` : cell;
        left = Math.max(0, left - (widths[i] ?? 0) - 2);
        return paint(shown, shown + ' '.repeat(Math.max(0, (widths[i] ?? 0) - [...shown].length)));
      });
      this.line(parts.join('  ').trimEnd());
    };
    print(titles, (_, padded) => this.style('bold', padded));
    for (const row of rows) print(row, (cell, padded) => padded.replace(cell, () => this.state(cell)));
  }

  private style(style: 'bold' | 'cyan' | 'green' | 'red' | 'yellow', text: string): string {
    const { plain, stdout } = this.options;
    return plain || !stdout.isTTY ? text : styleText(style, text, { validateStream: false });
  }
}

const titleOf = (column: Column): string =>
  typeof column === 'string' ? column.replaceAll('_', ' ').toUpperCase() : column[0];

/** Removes characters that could control a terminal, because the text comes from networks and clients. */
export const clean = (text: string): string =>
  stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
