import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Random } from '../e2e/random.js';

/** An event as a row of the store's table. */
interface Row {
  readonly position: string;
  readonly stream: string;
  readonly revision: string;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** A place where a verification must report a fault, and the reasons that it may give. */
export interface Trace {
  readonly stream: string;
  readonly revision: number;
  readonly reasons: readonly string[];
}

type Forge = (db: PoolClient, rows: readonly Row[], random: Random) => Promise<readonly Trace[]>;

const pick = <T>(items: readonly T[], random: Random): T => items[random.below(items.length)]!;
const traceOf = ({ stream, revision }: Row, ...reasons: string[]): Trace => ({
  stream,
  revision: Number(revision),
  reasons,
});

/** Changes one character of a string inside the JSON, so that it remains valid JSON. */
const changeText = (data: string): string =>
  data.replace(
    /"([^"\\]*)([0-9a-zA-Z])"(?!:)/,
    (_, rest: string, last: string) => `"${rest}${last === 'x' ? 'y' : 'x'}"`,
  );

const hashOf = (row: Row, previous: string): string => {
  const { hash: _, ...unsigned } = JSON.parse(row.metadata) as { hash: string };
  const parts = [previous, row.stream, row.revision, row.id, row.type, JSON.stringify(unsigned), row.data];
  return createHash('sha256').update(parts.join('\n')).digest('hex');
};

const storedHash = ({ metadata }: Row): string => (JSON.parse(metadata) as { hash: string }).hash;

const rehash = (row: Row, previous: string): Row => {
  const { hash: _, ...unsigned } = JSON.parse(row.metadata) as { hash: string };
  return { ...row, metadata: JSON.stringify({ ...unsigned, hash: hashOf(row, previous) }) };
};

const save = (db: PoolClient, { position, stream, revision, id, type, data, metadata }: Row) =>
  db.query(
    `insert into event_store.event values ($1, $2, $3, $4, $5, $6, $7) on conflict (position) do update
     set stream = $2, revision = $3, id = $4, type = $5, data = $6, metadata = $7`,
    [position, stream, revision, id, type, data, metadata],
  );

const remove = (db: PoolClient, { position }: Row) =>
  db.query('delete from event_store.event where position = $1', [position]);

const longStreams = (rows: readonly Row[]): Row[][] => {
  const streams = new Map<string, Row[]>();
  for (const row of rows) streams.set(row.stream, [...(streams.get(row.stream) ?? []), row]);
  return [...streams.values()].filter((events) => events.length >= 4);
};

/** Changes an event and recomputes the chain from there on. Returns the new rows. */
const rewriteFrom = (events: readonly Row[], at: number, data: string): Row[] => {
  const rewritten: Row[] = [];
  for (const [i, row] of events.slice(at).entries()) {
    const previous = rewritten.at(-1) ?? events[at - 1];
    rewritten.push(rehash(i === 0 ? { ...row, data } : row, previous ? storedHash(previous) : ''));
  }
  return rewritten;
};

/**
 * Replaces the entries of events in the bundles of the log, and the leaves in its tiles; the seals cannot be replaced.
 */
const forgeLog = async (db: PoolClient, before: readonly Row[], after: readonly Row[]): Promise<void> => {
  for (const [i, row] of before.entries()) {
    const [from, to] = [row, after[i]!].map((each) =>
      Buffer.from(`${each.stream}\n${each.revision}\n${storedHash(each)}\n`),
    );
    const leaf = (entry: Buffer) => createHash('sha256').update(Uint8Array.of(0)).update(entry).digest();
    const replace = async (table: string, column: string, old: Buffer, now: Buffer) => {
      const { rows } = await db.query<{ ctid: string; bytes: Buffer }>(
        `select ctid, ${column} as bytes from ${table} where position($1::bytea in ${column}) > 0`,
        [old],
      );
      for (const { ctid, bytes } of rows) {
        const at = bytes.indexOf(old);
        now.copy(bytes, at);
        await db.query(`update ${table} set ${column} = $1 where ctid = $2`, [bytes, ctid]);
      }
    };
    await replace('ops_history_bundle', 'entries', from!, to!);
    await replace('ops_history_tile', 'hashes', leaf(from!), leaf(to!));
  }
};

/** Ways to forge a history. Each returns where its traces are. */
export const FORGERIES: Readonly<Record<string, Forge>> = {
  async 'a character of an event'(db, rows, random) {
    const row = pick(
      rows.filter(({ data }) => changeText(data) !== data),
      random,
    );
    await save(db, { ...row, data: changeText(row.data) });
    return [traceOf(row, 'changed')];
  },
  async 'the author of an event'(db, rows, random) {
    const row = pick(rows, random);
    await save(db, { ...row, metadata: row.metadata.replace(/"actor":"[^"]*"/, '"actor":"system:stranger"') });
    return [traceOf(row, 'changed')];
  },
  async 'an event whose hash is recomputed'(db, rows, random) {
    const events = pick(longStreams(rows), random);
    const at = random.below(events.length);
    const [changed] = rewriteFrom(events, at, `${events[at]!.data} `);
    await save(db, changed!);
    return [traceOf(changed!, 'changed')];
  },
  async 'a removed event'(db, rows, random) {
    const row = pick(rows.slice(0, -1), random);
    await remove(db, row);
    return [traceOf(row, 'removed')];
  },
  async 'the end of a stream'(db, rows, random) {
    const events = pick(longStreams(rows), random);
    for (const row of events.slice(-2)) await remove(db, row);
    return events.slice(-2).map((row) => traceOf(row, 'removed'));
  },
  async 'two events that have changed places'(db, rows, random) {
    const at = random.below(rows.length - 12);
    const [first, second] = [rows[at]!, rows[at + 1 + random.below(10)]!];
    await remove(db, first);
    await save(db, { ...first, position: '-5' });
    await remove(db, second);
    await remove(db, { ...first, position: '-5' });
    await save(db, { ...second, position: first.position });
    await save(db, { ...first, position: second.position });
    return [traceOf(first, 'reordered'), traceOf(second, 'reordered')];
  },
  async 'the contents of two events of a stream'(db, rows, random) {
    const events = pick(longStreams(rows), random);
    const at = random.below(events.length - 1);
    const [first, second] = [events[at]!, events[at + 1]!];
    for (const row of [first, second]) await remove(db, row);
    await save(db, { ...first, revision: second.revision });
    await save(db, { ...second, revision: first.revision });
    return [traceOf(first, 'changed', 'reordered'), traceOf(second, 'changed', 'reordered')];
  },
  async 'an inserted event, and the chain recomputed after it'(db, rows, random) {
    const events = pick(longStreams(rows), random);
    const at = 1 + random.below(events.length - 1);
    const old = events[at]!;
    const later = rows.filter(({ position }) => BigInt(position) >= BigInt(old.position)).reverse();
    for (const row of later) await remove(db, row);
    const inserted = rehash({ ...old, id: '00000000-0000-4000-8000-000000000001' }, storedHash(events[at - 1]!));
    await save(db, inserted);
    let previous = inserted;
    for (const row of later.reverse()) {
      const moved = { ...row, position: String(BigInt(row.position) + 1n) };
      if (row.stream !== old.stream) {
        await save(db, moved);
        continue;
      }
      previous = rehash({ ...moved, revision: String(BigInt(row.revision) + 1n) }, storedHash(previous));
      await save(db, previous);
    }
    return [traceOf(old, 'changed', 'inserted')];
  },
  async 'a stream that is rewritten with its chain'(db, rows, random) {
    const events = pick(longStreams(rows), random);
    const at = random.below(events.length);
    const rewritten = rewriteFrom(events, at, `${events[at]!.data} `);
    for (const row of rewritten) await save(db, row);
    return rewritten.map((row) => traceOf(row, 'changed'));
  },
  async 'a stream that is rewritten with its chain, the entries and the tiles'(db, rows, random) {
    const events = pick(longStreams(rows), random);
    const at = random.below(events.length);
    const rewritten = rewriteFrom(events, at, `${events[at]!.data} `);
    for (const row of rewritten) await save(db, row);
    await forgeLog(db, events.slice(at), rewritten);
    return rewritten.map((row) => traceOf(row, 'changed'));
  },
};

/** The history and its transparency log. */
export const TABLES = ['event_store.event', 'ops_history_log', 'ops_history_tile', 'ops_history_bundle'];

/** Position of the saga that writes the log: it may pass a forged history, and must go back with the log's head. */
const POSITION = "ops_checkpoint where name = 'saga/write-transparency-log'";

/** Forges the history of a database, calls `look`, and restores the history. */
export const withForgery = async <T>(
  pool: Pool,
  forge: Forge,
  random: Random,
  look: (traces: readonly Trace[]) => Promise<T>,
): Promise<T> => {
  const db = await pool.connect();
  try {
    await backUp(db);
    const { rows } = await db.query<Row>(
      `select position::text, stream, revision::text, id, type, data, metadata from event_store.event
       where stream !~ '^(requestLog|translation|payload)-' order by event.position`,
    );
    try {
      return await look(await forge(db, rows, random));
    } finally {
      await restore(db);
    }
  } finally {
    db.release();
  }
};

const nameOfBackup = (table: string): string => `backup_${table.replace('.', '_')}`;

const backUp = async (db: PoolClient): Promise<void> => {
  const copies = TABLES.map((table) => `create temp table ${nameOfBackup(table)} as select * from ${table}`);
  copies.push(`create temp table backup_position as select position from ${POSITION}`);
  await db.query(`begin isolation level repeatable read; ${copies.join('; ')}; commit`);
};

/** Restores everything at once: a saga that saw only a part restored would be out of step for good. */
const restore = async (db: PoolClient): Promise<void> => {
  const copies = TABLES.flatMap((table) => [
    `delete from ${table}`,
    `insert into ${table} select * from ${nameOfBackup(table)}`,
    `drop table ${nameOfBackup(table)}`,
  ]);
  await db.query(
    `begin; lock table ops_history_log in exclusive mode; ${copies.join('; ')};
     update ${POSITION.replace(' where', ' set position = (select position from backup_position) where')};
     drop table backup_position; commit`,
  );
};
