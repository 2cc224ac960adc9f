import { once } from 'node:events';
import { createReadStream, type WriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '../../../clients/typescript/src/index.js';
import { type Api, finishJob } from '../api.js';
import type { Define } from '../define.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import { failToRead, Failure, isThing, NotReachable, type Output, WrongUsage } from '../output.js';

/** Size of each part of an import: small enough to arrive within the gateway's request timeout. */
const PART_CHARS = 4_000_000;
/** Maximum number of consecutive attempts to resume an export without receiving another line. */
const MAX_TRIES = 5;
/** Maximum number of attempts to send a part. With {@link PART_RETRY_MS}, they outlast a restart of the gateway. */
const MAX_PART_TRIES = 60;
const PART_RETRY_MS = 1_000;

/** A day without a time. */
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Adds the commands that move a history to another gateway, or into files: `export`, `export-keys`, `import` and `archive`. */
export const addTransfer = (define: Define): void => {
  define({
    usage: 'export',
    summary: SUMMARIES.exportHistory,
    example: 'crosspost history export --secrets sealed --out history.ndjson',
    options: {
      '--after <position>': OPTIONS.after,
      '--secrets <sealed>': OPTIONS.secrets,
      '--content <open>': OPTIONS.content,
      '--out <file>': OPTIONS.out,
    },
    handler: async ({ api, out, options }) => {
      // The gateway checks the values.
      const { after, out: file, ...query } = options as { after?: string; out?: string } & ExportOptions;
      const target = file === undefined ? null : await openTarget(file, after === undefined ? 'w' : 'a');
      const write = async (text: string): Promise<void> => {
        if (!target) out.raw(text);
        else if (!target.write(text)) await once(target, 'drain');
      };
      await new Export(api, out, query, after).run(write);
      if (target) await new Promise((resolve) => target.end(resolve));
    },
  });
  define({
    usage: 'export-keys',
    summary: SUMMARIES.exportKeys,
    example: 'crosspost history export-keys --out keys.ndjson',
    options: { '--out <file>': OPTIONS.out },
    handler: async ({ api, out, options }) => {
      const { out: file } = options as { out?: string };
      const answer = await api.open('/history/export', { query: { content_keys: 'sealed' } });
      const text = await new Response(answer.body).text();
      if (file === undefined) return out.raw(text);
      const target = await openTarget(file, 'w');
      await new Promise<void>((resolve) => target.end(text, resolve));
    },
  });
  define({
    usage: 'archive',
    summary: SUMMARIES.archiveHistory,
    example: 'crosspost history archive --before 2026-01-01 --dry-run',
    options: {
      '--before <date>': OPTIONS.archiveBefore,
      '--dry-run': OPTIONS.archiveDryRun,
      '--no-wait': OPTIONS.noWait,
    },
    handler: async (call) => {
      const { before = '', dryRun = false } = call.options as { before?: string; dryRun?: boolean };
      const body = { before: DATE.test(before) ? `${before}T00:00:00Z` : before, dry_run: dryRun };
      await finishJob(call, await call.api.post('/history/archive', { body }));
    },
  });
  define({
    usage: 'import [file]',
    summary: SUMMARIES.importHistory,
    example: 'crosspost history import history.ndjson --keys keys.ndjson',
    options: { '--keys <file>': OPTIONS.keys },
    handler: async ({ api, out, args: [file = '-'], options }) => {
      const { keys } = options as { keys?: string };
      const opened = keys === undefined ? 0 : (await importFrom(api, out, keys)).secrets;
      const imported = await importFrom(api, out, file);
      out.answer({ ...imported, secrets: imported.secrets + opened });
    },
  });
};

/**
 * Opens the file for an export. Only its owner may access the file, even if it existed before, because it may contain
 * secrets and all posts.
 * @throws WrongUsage before anything is exported, if the file cannot be written
 */
export const openTarget = async (file: string, flags: 'w' | 'a'): Promise<WriteStream> => {
  try {
    const handle = await open(file, flags, 0o600);
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    return handle.createWriteStream();
  } catch (error) {
    throw new WrongUsage(CLI_MESSAGES.unwritable({ file, reason: (error as NodeJS.ErrnoException).code ?? '' }));
  }
};

interface ExportOptions {
  readonly secrets?: 'sealed';
  readonly content?: 'open';
}

/** An export that resumes after its last complete line when the connection breaks. */
class Export {
  private isComplete = false;

  constructor(
    private readonly api: Api,
    private readonly out: Output,
    private readonly options: ExportOptions,
    private position: string | undefined,
  ) {}

  async run(write: (text: string) => Promise<void>): Promise<void> {
    const { head: newest } = await this.api.get('/projections/{name}', { path: { name: 'audit' } });
    const head = Number(newest);
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
    const query = { after: this.position, ...this.options };
    const response = await this.api.open('/history/export', { query });
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
}

/**
 * Sends a part, and retries while the gateway is temporarily unavailable. Sending a part twice is safe: the gateway
 * skips events that it already has.
 */
const importPart = async (api: Api, part: string): Promise<Schemas['Import']> => {
  for (let tries = 1; ; tries++)
    try {
      return await api.post('/history/import', { body: part });
    } catch (error) {
      const isAway = error instanceof NotReachable || (error instanceof Failure && error.status === 503);
      if (!isAway || tries >= MAX_PART_TRIES) throw error;
      await sleep(PART_RETRY_MS);
    }
};

/** Imports a file part by part; each part continues where the previous one ended. */
const importFrom = async (api: Api, out: Output, file: string): Promise<Schemas['Import']> => {
  const size = file === '-' ? null : (await stat(file).catch((error: unknown) => failToRead(file, error))).size;
  const input = file === '-' ? process.stdin : createReadStream(file);
  const total = { events: 0, secrets: 0 };
  let done = 0;
  const send = async (part: string): Promise<Schemas['Import']> => {
    const answer = await importPart(api, part);
    total.events += answer.events;
    total.secrets += answer.secrets;
    done += Buffer.byteLength(part);
    out.progress(size === null ? 0 : done / size, CLI_MESSAGES.imported(total));
    return answer;
  };
  let last: Schemas['Import'];
  try {
    let part = '';
    let hasEvent = false;
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      // A part with only secrets would look like a whole file.
      if (part.length > PART_CHARS && hasEvent) {
        await send(part);
        part = '';
        hasEvent = false;
      }
      part += `${line}\n`;
      hasEvent ||= !/^\{"(secret|content_key)"/.test(line);
    }
    last = await send(part);
  } finally {
    out.endProgress();
  }
  if (!last.complete) throw new Failure('incomplete', CLI_MESSAGES.incompleteImport);
  return { ...last, ...total };
};
