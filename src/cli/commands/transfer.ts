import { once } from 'node:events';
import { createReadStream, type WriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import type { Api, ApiAnswer } from '../api.js';
import { define } from '../define.js';
import { Failure, NotReachable, WrongUsage } from '../failures.js';
import { isThing, type Thing } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Output } from '../output.js';

const NDJSON = 'application/x-ndjson';
/** Characters of a part of an import: it arrives well within the time that the gateway gives a request. */
const PART_CHARS = 4_000_000;
/** Times in a row that an export which was broken off goes on without having brought a line. */
const MAX_TRIES = 5;

/** Times that a part is sent, and ms in between: a gateway that restarts is back in less than their product. */
const MAX_PART_TRIES = 60;
const PART_RETRY_MS = 1_000;

/** Adds what moves a history to another gateway: `export` and `import`. */
export const addTransfer = (history: Command, settings: CommandLineSettings): void => {
  define(history, settings, {
    usage: 'export',
    summary: SUMMARIES.exportHistory,
    example: 'crosspost history export --secrets sealed --out history.ndjson',
    options: [
      ['--after <position>', OPTIONS.after],
      ['--secrets <sealed>', OPTIONS.secrets],
      ['--out <file>', OPTIONS.out],
    ],
    handler: async ({ api, out, options }) => {
      const { after, secrets, out: file } = options as Readonly<Record<string, string | undefined>>;
      const target = file === undefined ? null : await openTarget(file, after === undefined ? 'w' : 'a');
      const write = async (text: string): Promise<void> => {
        if (!target) out.raw(text);
        else if (!target.write(text)) await once(target, 'drain');
      };
      await new Export(api, out, secrets).run(after, write);
      if (target) await new Promise((resolve) => target.end(resolve));
    },
  });
  define(history, settings, {
    usage: 'import [file]',
    summary: SUMMARIES.importHistory,
    example: 'crosspost history import history.ndjson',
    handler: async ({ api, out, args: [file] }) => {
      const { text, thing } = await importFrom(api, out, file ?? '-');
      out.answer(text, thing);
    },
  });
};

/**
 * Opens the file of an export, which may contain secrets and all posts: for its owner alone, also if it is there already.
 * @throws WrongUsage before anything is exported if it cannot be written
 */
const openTarget = async (file: string, flags: 'w' | 'a'): Promise<WriteStream> => {
  try {
    const handle = await open(file, flags, 0o600);
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    return handle.createWriteStream();
  } catch (error) {
    throw new WrongUsage(CLI_MESSAGES.unwritable({ file, reason: (error as NodeJS.ErrnoException).code ?? '' }));
  }
};

/** An export that goes on after its last complete line when the connection breaks off. */
class Export {
  private position: string | undefined;
  private isComplete = false;

  constructor(
    private readonly api: Api,
    private readonly out: Output,
    private readonly secrets: string | undefined,
  ) {}

  async run(after: string | undefined, write: (text: string) => Promise<void>): Promise<void> {
    this.position = after;
    const head = await this.readHead();
    try {
      for (let tries = 0; !this.isComplete;) {
        const before = this.position;
        try {
          for await (const line of this.lines()) {
            await write(`${line}\n`);
            this.note(line);
            this.out.progress(head > 0 ? Number(this.position ?? 0) / head : 1, CLI_MESSAGES.exported({ head }));
          }
          if (!this.isComplete) throw new NotReachable(CLI_MESSAGES.brokenOff({ reason: 'no last line' }));
        } catch (error) {
          tries = this.position === before ? tries + 1 : 0;
          if (!(error instanceof NotReachable) || tries >= MAX_TRIES) throw error;
        }
      }
    } finally {
      this.out.endProgress();
    }
  }

  private async *lines(): AsyncGenerator<string> {
    const query = { after: this.position, secrets: this.secrets };
    const response = await this.api.open('GET', '/manage/v1/history/export', { query });
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of response.body!) {
        const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
        rest = lines.pop()!;
        yield* lines;
      }
    } catch (error) {
      throw new NotReachable(CLI_MESSAGES.brokenOff({ reason: (error as Error).message }), { cause: error });
    }
  }

  private note(line: string): void {
    const value: unknown = JSON.parse(line);
    if (!isThing(value)) return;
    if (typeof value.position === 'string' || typeof value.position === 'number')
      this.position = String(value.position);
    this.isComplete = value.last === true;
  }

  private async readHead(): Promise<number> {
    const { thing } = await this.api.manage('GET', '/projections/audit');
    return Number(thing.head);
  }
}

/** Sends a part, again if the gateway is away for a while: it compares what it has, and goes on. */
const importPart = async (api: Api, part: string): Promise<ApiAnswer> => {
  for (let tries = 1; ; tries++)
    try {
      return await api.manage('POST', '/history/import', { raw: { type: NDJSON, content: part } });
    } catch (error) {
      const isAway = error instanceof NotReachable || (error instanceof Failure && error.status === 503);
      if (!isAway || tries >= MAX_PART_TRIES) throw error;
      await sleep(PART_RETRY_MS);
    }
};

/** Imports a file part by part: the gateway takes up each part where the one before has ended. */
const importFrom = async (api: Api, out: Output, file: string): Promise<ApiAnswer> => {
  const size = file === '-' ? null : await sizeOf(file);
  const input = file === '-' ? process.stdin : createReadStream(file);
  const total = { events: 0, secrets: 0 };
  let done = 0;
  let answer: ApiAnswer | null = null;
  const send = async (part: string): Promise<void> => {
    answer = await importPart(api, part);
    total.events += Number(answer.thing.events);
    total.secrets += Number(answer.thing.secrets);
    done += Buffer.byteLength(part);
    out.progress(size === null ? 0 : done / size, CLI_MESSAGES.imported(total));
  };
  try {
    let part = '';
    let hasEvent = false;
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      // A part of secrets alone would look like a whole file.
      if (part.length > PART_CHARS && hasEvent) {
        await send(part);
        part = '';
        hasEvent = false;
      }
      part += `${line}\n`;
      hasEvent ||= !line.startsWith('{"secret"');
    }
    await send(part);
  } finally {
    out.endProgress();
  }
  const thing: Thing = { ...(answer as ApiAnswer | null)?.thing, ...total };
  if (thing.complete !== true) throw new Failure('incomplete', CLI_MESSAGES.incompleteImport);
  return { status: 200, thing, text: JSON.stringify(thing) };
};

const sizeOf = async (file: string): Promise<number> => {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw new WrongUsage(CLI_MESSAGES.unreadable({ file, reason: (error as NodeJS.ErrnoException).code ?? '' }));
  }
};
