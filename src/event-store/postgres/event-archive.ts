import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type pg from 'pg';
import { type Instant, startOfMonth } from '../../kernel/clock.js';
import { reasonOf } from '../../kernel/result.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { timeOf } from '../content.js';
import { monthOf } from '../content-keys.js';
import {
  type ArchivedFile,
  type ArchiveDifference,
  type ArchiveFiles,
  BEGINNING,
  createTypeMatcher,
  type EventArchive,
  isFullPage,
  MAX_PAGE_BYTES,
  type PackedFile,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  StorageFailed,
  type StoredEvent,
  takePage,
  Unavailable,
} from '../port.js';
import { toPortError } from './port-error.js';

/**
 * Streams whose events are archived, as a regular expression of PostgreSQL: those that grow with posts and end. Streams
 * of resources stay in the table, because they are read every day, and so do streams that the gateway deletes or trims,
 * because files never change.
 */
const ARCHIVED_STREAMS = '^(post|publication|delivery)-';
const isArchivable = (stream: string): boolean => /^(post|publication|delivery)-/.test(stream);

/** Limits of a file. They are small, because even a reader of one event reads the whole file. */
const MAX_FILE_EVENTS = 4_000;
const MAX_FILE_BYTES = 2 * MAX_PAGE_BYTES;
/** Number of files of which the events stay in memory, because pages and streams begin within files. */
const FILES_IN_MEMORY = 4;
/** Maximum number of unreadable files to remember. */
const MAX_REMEMBERED = 100;
/** Maximum number of rows about files per read. */
const FILES_PER_READ = 100;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The first line of a file. */
interface Header {
  readonly crosspost_archive: 1;
  readonly month: string;
  readonly first_position: string;
  readonly last_position: string;
  readonly events: number;
}

/** A line of a file, with the exact text of an event. */
type Line = Omit<StoredEvent, 'position' | 'revision'> & { readonly position: string; readonly revision: string };

interface FileRow {
  readonly first: string;
  readonly file: string;
}

/** Events that left the event table for files (D-101), and the index of these files in the database. */
export class PostgresEventArchive implements EventArchive {
  /** Files that could not be read, by their first position. */
  private readonly failed = new Map<string, string>();
  private readonly decoded = new BoundedCache<Promise<readonly StoredEvent[]>>(FILES_IN_MEMORY);

  constructor(
    private readonly pool: pg.Pool,
    private readonly schema: string,
    /** Opens the store of the files when it is first needed; null if this process has none. */
    private readonly openFiles: (() => Promise<ArchiveFiles>) | null,
    private readonly maxFileEvents = MAX_FILE_EVENTS,
  ) {}

  /** SQL for the position of the last archived event. */
  get readEndSql(): string {
    return `select a.last_position from ${this.schema}.archived_file a order by a.last_position desc limit 1`;
  }

  /** SQL for a stream `r.wanted` without an event `e` in the table: true if it has archived ones. Otherwise null. */
  get isArchivedSql(): string {
    return `case when e.position is null
      then exists (select from ${this.schema}.archived_stream a where a.stream = r.wanted) end`;
  }

  async readEnd(): Promise<Position> {
    const [row] = await this.query<{ last_position: string }>(this.readEndSql);
    return row ? BigInt(row.last_position) : BEGINNING;
  }

  async pack(before: Instant, after?: Position): Promise<PackedFile | null> {
    const rows = await this.query<Line>(
      `select position::text, stream, revision::text, id, type, data, metadata from (
         select *, sum(octet_length(data) + octet_length(metadata)) over (order by position) as bytes from (
           select * from ${this.schema}.event where position > $1 and stream ~ $2 order by position limit $3) first) page
       where bytes <= ${MAX_FILE_BYTES} order by page.position`,
      [after ?? (await this.readEnd()), ARCHIVED_STREAMS, this.maxFileEvents],
    );
    const [first] = rows;
    if (!first || timeOf(first) >= before) return null;
    const month = monthOf(timeOf(first));
    const end = Math.min(before, startOfMonth(timeOf(first), 1));
    const next = rows.findIndex((row) => timeOf(row) >= end);
    const lines = next < 0 ? rows : rows.slice(0, next);
    const last = lines.at(-1)!;
    const header: Header = {
      crosspost_archive: 1,
      month,
      first_position: first.position,
      last_position: last.position,
      events: lines.length,
    };
    const bytes = await compress([header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const sha256 = hash('sha256', bytes);
    // The same events get the same name, so a repetition after a crash finds the file.
    const name = `archive/${month}-${first.position.padStart(19, '0')}-${sha256.slice(0, 32)}.jsonl.gz`;
    const range = { first: BigInt(first.position), last: BigInt(last.position) };
    return { name, month, ...range, events: lines.length, sha256, bytes };
  }

  async store({ name, bytes, sha256 }: PackedFile): Promise<void> {
    const files = await this.files();
    await files.write(name, bytes);
    if (hash('sha256', await files.read(name)) !== sha256) throw damaged(name, 'it is not what was written');
  }

  get unreadable(): ReadonlySet<string> {
    return new Set(this.failed.values());
  }

  async compare(): Promise<ArchiveDifference> {
    const end = await this.readEnd(); // files archived meanwhile may be missing from the list
    const names = await (await this.files()).list();
    const rows = await this.query<{ file: string; is_unknown: boolean }>(
      `select coalesce(n.name, a.file) as file, a.file is null as is_unknown
       from unnest($1::text[]) n (name) full join ${this.schema}.archived_file a on a.file = n.name
       where a.file is null or (n.name is null and a.last_position <= $2) order by 1`,
      [names, end],
    );
    for (const [first, file] of [...this.failed]) await this.readFile({ first, file }).catch(() => undefined);
    const filesOf = (isUnknown: boolean) => rows.flatMap((row) => (row.is_unknown === isUnknown ? [row.file] : []));
    return { unknown: filesOf(true), missing: filesOf(false) };
  }

  async move({ name, sha256 }: ArchivedFile): Promise<void> {
    const bytes = await (await this.files()).read(name);
    if (hash('sha256', bytes) !== sha256) throw damaged(name, 'its hash is not the one in its event');
    const events = await decode(name, bytes);
    const [first, last] = [events[0]!.position, events.at(-1)!.position];
    const revisions = new Map<string, bigint>();
    for (const { stream, revision } of events) revisions.set(stream, revision);
    const types = [...new Set(events.map(({ type }) => type))];
    const client = await this.pool.connect().catch((error: unknown) => {
      throw toPortError(error);
    });
    try {
      await client.query('begin');
      const { rowCount: isNew } = await client.query(
        `insert into ${this.schema}.archived_file (first_position, last_position, file, types)
         values ($1, $2, $3, $4) on conflict do nothing`,
        [first, last, name, types],
      );
      if (isNew) {
        await client.query(
          `insert into ${this.schema}.archived_stream (stream, file, revision)
           select s.stream, $1, s.revision from unnest($2::text[], $3::bigint[]) s (stream, revision)`,
          [first, [...revisions.keys()], [...revisions.values()]],
        );
        const { rowCount: removed } = await client.query(
          `delete from ${this.schema}.event e using unnest($1::bigint[], $2::uuid[]) a (position, id)
           where e.position = a.position and e.id = a.id`,
          [events.map(({ position }) => position), events.map(({ id }) => id)],
        );
        if (removed !== events.length) throw damaged(name, `the table has ${removed} of its ${events.length} events`);
      }
      await client.query('commit');
      client.release();
    } catch (error) {
      client.release(true); // closes the connection, which rolls back
      throw error instanceof StorageFailed ? error : toPortError(error);
    }
  }

  /**
   * Adds archived events to a page of the log that was read from the table before: an event that was moved in between
   * is in both, and none is in neither.
   */
  async completePage(
    { after, upTo, limit, ...filter }: ReadAllOptions & { readonly upTo: Position },
    page: readonly StoredEvent[],
  ): Promise<StoredEvent[]> {
    const isWanted = createTypeMatcher(filter);
    const end = isFullPage(page, limit) ? page.at(-1)!.position : upTo;
    const archived: StoredEvent[] = [];
    for await (const events of this.readFiles(after, end, filter.types ?? null)) {
      for (const event of events)
        if (event.position > after && event.position <= end && isWanted(event.type)) archived.push(event);
      if (isFullPage(archived, limit)) break;
    }
    if (archived.length === 0) return [...page];
    const known = new Set(archived.map(({ position }) => position));
    const all = [...archived, ...page.filter(({ position }) => !known.has(position))];
    return takePage(
      all.sort((a, b) => (a.position < b.position ? -1 : 1)),
      limit,
    );
  }

  /**
   * True if a read of a stream from the table may lack archived events.
   * @param isArchived for a stream without events in the table: true if it has archived ones
   */
  isIncomplete(
    stream: string,
    { direction, from, limit }: ReadStreamOptions,
    events: readonly StoredEvent[],
    isArchived: boolean,
  ): boolean {
    if (events.length === 0) return isArchived;
    if (!isArchivable(stream)) return false;
    if (direction === 'backwards') return events.length < (limit ?? Infinity) && events.at(-1)!.revision > 0n;
    return events[0]!.revision > (from ?? 0n);
  }

  /** Adds archived events to those of a stream that were read from the table before. */
  async completeStream(
    stream: string,
    { direction = 'forwards', from, limit = Infinity }: ReadStreamOptions,
    events: readonly StoredEvent[],
  ): Promise<StoredEvent[]> {
    const isBackwards = direction === 'backwards';
    const rows = await this.query<FileRow & { revision: string }>(
      `select f.first_position::text as first, f.file, s.revision::text
       from ${this.schema}.archived_stream s join ${this.schema}.archived_file f on f.first_position = s.file
       where s.stream = $1 order by f.first_position ${isBackwards ? 'desc' : ''}`,
      [stream],
    );
    const archived: StoredEvent[] = [];
    for (const row of rows) {
      if (!isBackwards && BigInt(row.revision) < (from ?? 0n)) continue;
      const ofStream = (await this.readFile(row)).filter(
        (event) =>
          event.stream === stream &&
          (from === undefined || (isBackwards ? event.revision <= from : event.revision >= from)),
      );
      archived.push(...(isBackwards ? ofStream.reverse() : ofStream));
      if (archived.length + (isBackwards ? events.length : 0) >= limit) break;
    }
    const known = new Set(archived.map(({ revision }) => revision));
    const others = events.filter(({ revision }) => !known.has(revision));
    const all = isBackwards ? [...others, ...archived] : [...archived, ...others];
    return limit === Infinity ? all : all.slice(0, limit);
  }

  /** Reads the files with events in a range of positions, in order. */
  private async *readFiles(after: Position, upTo: Position, types: readonly string[] | null) {
    for (let from = after; ;) {
      const rows = await this.query<FileRow & { last: string }>(
        `select first_position::text as first, last_position::text as last, file from ${this.schema}.archived_file
         where last_position > $1 and first_position <= $2 and ($3::text[] is null or types && $3)
         order by first_position limit ${FILES_PER_READ}`,
        [from, upTo, types],
      );
      for (const row of rows) yield await this.readFile(row);
      if (rows.length < FILES_PER_READ) return;
      from = BigInt(rows.at(-1)!.last);
    }
  }

  private readFile({ first, file }: FileRow): Promise<readonly StoredEvent[]> {
    return this.decoded.getOrCreate(first, () => {
      const reading = this.files()
        .then((files) => files.read(file))
        .then((bytes) => decode(file, bytes));
      reading.then(
        () => this.failed.delete(first),
        (error: unknown) => {
          this.decoded.delete(first); // the next reader tries again
          if (error instanceof StorageFailed && this.failed.size < MAX_REMEMBERED) this.failed.set(first, file);
        },
      );
      return reading;
    });
  }

  private async files(): Promise<ArchiveFiles> {
    if (!this.openFiles) throw new Unavailable('this process cannot read the archive of the event store');
    return this.openFiles();
  }

  private async query<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]> {
    try {
      return (await this.pool.query<R>(text, values && [...values])).rows;
    } catch (cause) {
      throw toPortError(cause);
    }
  }
}

const damaged = (name: string, problem: string): StorageFailed =>
  new StorageFailed('ARCHIVE_DAMAGED', `the archive's file ${name} is damaged: ${problem}`);

const decode = async (name: string, bytes: Buffer): Promise<readonly StoredEvent[]> => {
  try {
    const [first, ...lines] = (await decompress(bytes)).toString('utf8').trimEnd().split('\n');
    const header = JSON.parse(first!) as Header;
    if (header.crosspost_archive !== 1) throw new Error('it was written by a newer version');
    if (header.events !== lines.length) throw new Error(`it has ${lines.length} of ${header.events} events`);
    return lines.map((line) => {
      const { position, revision, ...event } = JSON.parse(line) as Line;
      return { ...event, position: BigInt(position), revision: BigInt(revision) };
    });
  } catch (error) {
    throw damaged(name, reasonOf(error));
  }
};
