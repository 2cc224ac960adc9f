import { isDeepStrictEqual } from 'node:util';
import type { Infrastructure } from '../../../src/app/infrastructure.js';
import type { Position } from '../../../src/event-store/port.js';
import type { Projection } from '../../../src/projections/engine/projection.js';
import { readVersions } from '../../../src/projections/engine/version-store.js';
import { until } from '../../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../../support/two-workers.js';
import { countPauses, pauseChannel, type Program, startProgram } from './pauses-projection.js';

let two: TwoProcesses;
let here: Infrastructure;
let there: Infrastructure;
let head: Position;
beforeAll(async () => {
  two = await startTwoProcesses('60');
  [here, there] = two.on;
  for (const minutes of [1, 2, 3]) await pauseChannel(here, 'tgt_1', minutes);
  head = await pauseChannel(here, 'tgt_2', 1);
});
afterAll(() => two.stop());

const started: Program[] = [];
afterEach(async () => {
  for (const program of started.splice(0)) await program.stop();
});

const start = async (on: Infrastructure, projection: Projection): Promise<Program> => {
  const program = await startProgram(on, projection);
  started.push(program);
  return program;
};

/** Starts a program and waits until it reads what its own code has made of the whole log. */
const startLevel = async (on: Infrastructure, projection: Projection): Promise<Program> => {
  const program = await start(on, projection);
  await isLevel(program, projection.name);
  return program;
};
const isLevel = async ({ progress }: Program, name: string): Promise<void> => {
  expect(await progress.waitForOwnVersions([name], 60_000)).toBe(true);
  expect(await progress.waitFor([name], head, 60_000)).toBe(true);
};

let names = 0;
const newName = (): string => `pauses-${++names}`;
const schemaOf = (name: string): string => name.replace('-', '_');

/** Reads the codes of the versions by state, and the schemas of the read model. */
const readState = async (name: string) => {
  const versions = await readVersions(here.pool, name);
  const { rows } = await here.pool.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname ~ ('^' || $1 || '(_|$)') order by 1`,
    [schemaOf(name)],
  );
  const checkpoints = await here.pool.query('select from ops_checkpoint where name = $1', [name]);
  return {
    live: versions?.live.code,
    candidate: versions?.candidate?.code,
    previous: versions?.previous?.code,
    schemas: rows.map((row) => row.name.slice(schemaOf(name).length)),
    checkpoints: checkpoints.rowCount,
  };
};

/** A gate that holds back a batch until it is opened. */
const closedGate = () => {
  let open = (): void => undefined;
  let arrived = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (arrived = resolve));
  const pass = () => {
    arrived();
    return opened;
  };
  return { pass, open, reached };
};

it('the first version of a read model is tried again soon if a lock prevents it', async () => {
  const name = newName();
  const lock = `hashtext('projection ${name}')`;
  const holder = await there.pool.connect();
  try {
    await holder.query(`select pg_advisory_lock(${lock})`);
    const program = await start(here, countPauses(name, 1));
    const attempts = new Set<number>();
    await until('it has tried four times', async () => {
      const { rows } = await there.pool.query<{ at: Date }>(
        `select query_start as at from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
      );
      for (const { at } of rows) attempts.add(at.getTime());
      return attempts.size >= 4;
    });
    const at = [...attempts].sort((a, b) => a - b);
    // Versions are checked every 15 s in any case. A busy machine can only lengthen a gap, so the shortest one counts.
    expect(Math.min(...at.slice(1).map((next, i) => next - at[i]!))).toBeLessThan(15_000);
    await holder.query(`select pg_advisory_unlock(${lock})`);
    await isLevel(program, name);
  } finally {
    holder.release(true);
  }
});

describe('a new version of a read model', () => {
  it('is built beside the live one, which an older program keeps level until, and after, the new one is live', async () => {
    const name = newName();
    const old = await startLevel(here, countPauses(name, 1));
    const gate = closedGate();
    const next = await start(there, countPauses(name, 2, gate.pass));
    await gate.reached;
    expect(await readState(name)).toMatchObject({ live: 1, candidate: 2, previous: undefined });

    head = await pauseChannel(here, 'tgt_3', 1);
    await isLevel(old, name);
    expect(await old.readRows()).toContainEqual({ channel_id: 'tgt_3', pauses: 1 });
    expect(await next.readRows()).toEqual(await old.readRows()); // the live version, as long as there is no other
    expect(await next.progress.waitFor([name], head, 120_000)).toBe(true);
    expect(await next.progress.waitForOwnVersions([name], 0)).toBe(false);

    gate.open();
    await isLevel(next, name);
    expect(await readState(name)).toMatchObject({ live: 2, candidate: undefined, previous: 1 });
    expect(await next.readRows()).toContainEqual({ channel_id: 'tgt_3', pauses: 1, until: 60_000n });

    head = await pauseChannel(here, 'tgt_4', 1);
    await Promise.all([isLevel(old, name), isLevel(next, name)]);
    expect(await old.readRows()).toContainEqual({ channel_id: 'tgt_4', pauses: 1 });
    expect(await next.readRows()).toContainEqual({ channel_id: 'tgt_4', pauses: 1, until: 60_000n });
  });

  it('is not taken back by an older program that starts later: that fills and reads its own version', async () => {
    const name = newName();
    await (await startLevel(here, countPauses(name, 1))).stop();
    await (await startLevel(there, countPauses(name, 2))).stop();
    const before = await readState(name);
    expect(before).toMatchObject({ live: 2, previous: 1 });
    const channel = `tgt_of_${name}`;
    head = await pauseChannel(here, channel, 1);
    const old = await startLevel(here, countPauses(name, 1));
    expect(await old.readRows()).toContainEqual({ channel_id: channel, pauses: 1 });
    expect(await readState(name)).toEqual(before);
    expect(await old.progress.waitForOwnVersions([name], 0)).toBe(true);
  });

  it('is left alone by a program whose version was dropped: that reads the live one', async () => {
    const name = newName();
    for (const code of [1, 2, 3]) await (await startLevel(here, countPauses(name, code))).stop();
    const oldest = await start(here, countPauses(name, 1));
    const newest = await startLevel(there, countPauses(name, 3));
    const rows = await newest.readRows();
    await until('the oldest program reads the live version', async () =>
      isDeepStrictEqual(await oldest.readRows(), rows),
    );
    expect(await oldest.progress.waitForOwnVersions([name], 0)).toBe(false);
    await until('its version is dropped', async () => (await readState(name)).checkpoints === 2);
    expect(await readState(name)).toMatchObject({ live: 3, candidate: undefined, previous: 2, checkpoints: 2 });
  });

  it('leaves two versions: the live and the previous one', async () => {
    const name = newName();
    for (const code of [1, 2, 3, 4]) await (await startLevel(here, countPauses(name, code))).stop();
    await start(here, countPauses(name, 4));
    await until('older versions are dropped', async () => (await readState(name)).checkpoints === 2);
    expect(await readState(name)).toMatchObject({
      live: 4,
      candidate: undefined,
      previous: 3,
      schemas: ['', '_c3', '_c4', '_v3', '_v4'],
    });
  });

  it('takes the place of an unfinished one of older code', async () => {
    const name = newName();
    await (await startLevel(here, countPauses(name, 1))).stop();
    const gate = closedGate();
    const second = await start(here, countPauses(name, 2, gate.pass));
    await gate.reached;
    await startLevel(there, countPauses(name, 3));
    gate.open();
    await until('the unfinished one is dropped', async () => (await readState(name)).checkpoints === 2);
    expect(await readState(name)).toMatchObject({ live: 3, candidate: undefined, previous: 1 });
    const newest = await started.at(-1)!.readRows();
    await until('the program without a version reads the live one', async () =>
      isDeepStrictEqual(await second.readRows(), newest),
    );
  });

  it('waits for queries that hold the views, and is then live', async () => {
    const name = newName();
    await startLevel(here, countPauses(name, 1));
    const reader = await here.pool.connect();
    await reader.query('begin');
    await reader.query(`select * from ${schemaOf(name)}.channel`);
    const next = await start(there, countPauses(name, 2));
    const waiting = `select from pg_locks where not granted and mode = 'AccessExclusiveLock'`;
    await until('the promotion waits', async () => (await here.pool.query(waiting)).rowCount !== 0);
    expect(await readState(name)).toMatchObject({ live: 1 });
    await reader.query('commit');
    reader.release();
    await isLevel(next, name);
    expect(await readState(name)).toMatchObject({ live: 2, candidate: undefined });
  });

  it('is complete and live in the end, wherever the process that builds it is killed', async () => {
    let statements = 0;
    for (let wasKilled = true; wasKilled; statements++) {
      const name = newName();
      await (await startLevel(here, countPauses(name, 1))).stop();
      const dying = await startProgram(there, countPauses(name, 2), statements);
      await until('it is killed or done', async () => dying.isDead() || (await readState(name)).live === 2);
      wasKilled = dying.isDead();
      await dying.stop();

      const between = await readState(name);
      expect(between.schemas).toEqual(expect.arrayContaining(['', '_c1', '_v1']));
      const rows = await here.pool.query<object>(`select * from ${schemaOf(name)}.channel order by 1`);
      expect(Object.keys(rows.rows[0]!)).toEqual(['channel_id', 'pauses', ...(between.live === 2 ? ['until'] : [])]);
      expect(rows.rows.map((row) => (row as { channel_id: string }).channel_id)).toContain('tgt_2');

      const next = await startLevel(here, countPauses(name, 2));
      expect((await next.readRows()).length).toBe(rows.rows.length);
      expect(await readState(name)).toEqual({
        live: 2,
        candidate: undefined,
        previous: 1,
        checkpoints: 2,
        schemas: ['', '_c1', '_c2', '_v1', '_v2'],
      });
      await next.stop();
    }
    expect(statements).toBeGreaterThan(20);
  }, 600_000);
});
