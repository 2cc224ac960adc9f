// More than 20 s: each store is lost several times in a row, and the gateway starts after each loss.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { KurrentEventStore } from '../../src/event-store/kurrentdb/kurrent-event-store.js';
import { leafHash, openNote, rootOf, splitBundle } from '../history/offline-verifier.js';
import { type Gateway, Program } from '../support/gateway-process.js';
import { KurrentServer } from '../support/kurrent-server/kurrent-server.js';
import { postIdOf, publish } from './client.js';
import { concurrentE2eTest, createManagementClient, type E2eHarness } from './e2e-harness.js';
import { type Endpoint, OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

type Settings = Readonly<Record<string, string>>;

interface EndedLog {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly vkey: string;
  readonly reason: string;
  readonly statement: string;
}

/** A checkpoint as a witness keeps it: with the key that the gateway named then. */
interface Witnessed {
  readonly note: string;
  readonly vkey: string;
}

const BUNDLE = 256;

const read = async (gateway: Gateway, path: string): Promise<Buffer> => {
  const answer = await fetch(`${gateway.url}/manage/v1/history/${path}`, {
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
};

/** Sends the lines of an exported history. */
const importHistory = async (gateway: Gateway, lines: Buffer): Promise<void> => {
  const answer = await fetch(`${gateway.url}/manage/v1/history/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/x-ndjson' },
    body: lines,
  });
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 200, body: { complete: true } });
};

/** Reads entries of the log that is written now. */
const readEntries = async (gateway: Gateway, size: number): Promise<Buffer[]> => {
  const entries: Buffer[] = [];
  for (let n = 0; n * BUNDLE < size; n++) {
    const width = Math.min(BUNDLE, size - n * BUNDLE);
    const path = `log/tile/entries/${String(n).padStart(3, '0')}${width < BUNDLE ? `.p/${width}` : ''}`;
    entries.push(...splitBundle(await read(gateway, path)));
  }
  return entries;
};

const listEnded = async (gateway: Gateway): Promise<readonly EndedLog[]> =>
  (JSON.parse(String(await read(gateway, 'log/ended'))) as { items: EndedLog[] }).items;

/**
 * Gateways on one network, one after the other, whose stores are lost in between, and a witness who keeps every
 * checkpoint.
 */
class Losses {
  readonly witnessed: Witnessed[] = [];
  private endpoints: readonly Endpoint[] = [];
  private posts = 0;
  /** True once no machine knows the newest checkpoint of the first log. */
  private isNewestForgotten = false;

  private constructor(
    private readonly harness: E2eHarness,
    private readonly settings: Settings,
  ) {}

  static async begin(harness: E2eHarness, settings: Settings): Promise<Losses> {
    const telegram = await harness.startTelegram();
    return new Losses(harness, { TELEGRAM_API_URL: telegram.url, ...settings });
  }

  /** Starts a gateway with a witness. */
  async start(settings: Settings): Promise<Gateway> {
    const gateway = await this.harness.startGateway({ ...this.settings, ...settings });
    void this.watch(gateway);
    if (this.endpoints.length === 0)
      ({ endpoints: this.endpoints } = await createManagementClient(gateway).seed(1, [[0]]));
    return gateway;
  }

  /** Accepts posts, and waits until a witness has a checkpoint that covers them. */
  async write(gateway: Gateway, count: number): Promise<void> {
    await this.accept(gateway, count);
    await this.witness(gateway);
  }

  /** The same after they are published, so that a witness has seen the newest events. */
  async writeAndPublish(gateway: Gateway, count: number): Promise<void> {
    const manage = createManagementClient(gateway);
    for (const id of await this.accept(gateway, count))
      await until(`${id} is published`, async () => {
        const { publications } = await manage.findPost(id);
        return publications.length === 1 && publications[0]!.state === 'published';
      });
    await this.witness(gateway);
  }

  /** Accepts posts. @returns their ids */
  private async accept(gateway: Gateway, count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const answer = await publish(gateway.url, this.endpoints[0]!, { text: `post ${this.posts++}` });
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
      expect(postIdOf(answer)).toMatch(/^post_/);
      ids.push(postIdOf(answer));
    }
    return ids;
  }

  /** Sends requests that are refused, each of which is an event of the request log. @returns the stream */
  async beRefused(gateway: Gateway): Promise<string> {
    const listLogged = async (): Promise<string[]> =>
      String(await read(gateway, 'export'))
        .split('\n')
        .filter((line) => line.includes('"stream":"requestLog-'));
    for (let n = 0; n < 3; n++) {
      const before = (await listLogged()).length;
      expect((await publish(gateway.url, this.endpoints[0]!, { text: 7, n })).status).toBe(422);
      await until('it is logged', async () => (await listLogged()).length > before);
    }
    await this.witness(gateway);
    return (JSON.parse((await listLogged())[0]!) as { readonly stream: string }).stream;
  }

  /** Waits for a checkpoint that covers everything, and lets the witness keep a copy. */
  async witness(gateway: Gateway): Promise<void> {
    await until('the log covers everything', async () => String(await read(gateway, 'export')).includes('"last":true'));
    await this.keep(gateway);
  }

  /** Runs `projections reset --to-store`. */
  reset(settings: Settings): Promise<void> {
    return this.run(['projections', 'reset', '--to-store'], settings);
  }

  /** Gives a new database the keys of the content, which alone had a copy. */
  async giveKeys(settings: Settings & { readonly DATA_DIR: string }, keys: Buffer): Promise<void> {
    const file = join(settings.DATA_DIR, 'keys.ndjson');
    await writeFile(file, keys);
    await this.run(['content-keys', 'import', file], settings);
  }

  private async run(command: readonly string[], settings: Settings): Promise<void> {
    const program = Program.spawn(command[0]!, ['main.js', ...command], {
      ...this.settings,
      ...settings,
      DEMO: 'off',
    });
    this.harness.addCleanup(() => program.killAll());
    const { code } = await program.exited;
    await program.closed;
    if (code !== 0) throw new Error(program.log);
  }

  /**
   * Waits until `count` logs have ended, then verifies what a stranger can and what the operator can. @returns the
   * causes
   */
  async verify(gateway: Gateway, count: number): Promise<readonly string[]> {
    await until(`${count} logs have ended`, async () => (await listEnded(gateway)).length === count);
    await this.witness(gateway);
    const ready = await until('it is ready', async () => {
      const answer = await fetch(`${gateway.url}/readyz`);
      const report = (await answer.json()) as {
        readonly degraded: readonly { readonly name: string }[];
        readonly history: { readonly origin: string; readonly ended: readonly object[] } | null;
      };
      // What a restore holds stays held.
      const isWell = report.degraded.every(({ name }) => name === 'recovery');
      return answer.status === 200 && isWell && report;
    });
    const ended = await listEnded(gateway);
    await this.verifyWitnessed(gateway, ended);
    const { origin } = JSON.parse(String(await read(gateway, 'log/key'))) as { readonly origin: string };
    expect(ready.history).toMatchObject({
      origin,
      ended: ended.map((log) => ({ origin: log.origin, size: log.size, reason: log.reason })),
    });
    const isCurrent = ({ vkey }: Witnessed): boolean => vkey.startsWith(`${origin}+`);
    for (const log of [...ended, { origin }]) {
      const ofLog = this.witnessed.filter(({ vkey }) => vkey.startsWith(`${log.origin}+`));
      for (const one of new Set([ofLog[0], ofLog.at(-1)])) {
        if (!one) continue;
        const { broken, checkpoint, ended: named } = await this.runVerification(gateway, one.note);
        expect({ broken, checkpoint }).toEqual({ broken: [], checkpoint: isCurrent(one) ? 'consistent' : 'ended' });
        expect((named ?? []).map((each) => each.origin)).toEqual(ended.map((each) => each.origin));
      }
    }
    const lines = String(await read(gateway, 'export'))
      .trimEnd()
      .split('\n');
    expect(lines.at(-1)).toContain('"last":true');
    expect(lines.map((line) => (JSON.parse(line) as { index: number }).index)).toEqual(lines.map((_, i) => i));
    return ended.map(({ reason }) => reason);
  }

  /** Every checkpoint is consistent with the present log, or belongs to a log that says that it has ended. */
  private async verifyWitnessed(gateway: Gateway, ended: readonly EndedLog[]): Promise<void> {
    // The witness keeps running: a checkpoint that it receives after this point may cover more entries than are read.
    const witnessed = [...this.witnessed];
    const { vkey } = JSON.parse(String(await read(gateway, 'log/key'))) as Witnessed;
    const { size, root, origin } = openNote(String(await read(gateway, 'log/checkpoint')), vkey);
    const entries = await readEntries(gateway, size);
    const leaves = entries.map(leafHash);
    expect(rootOf(leaves).equals(root)).toBe(true);
    for (const one of witnessed) {
      const seen = openNote(one.note, one.vkey);
      if (one.vkey === vkey) {
        expect({ size: seen.size, root: rootOf(leaves.slice(0, seen.size)).toString('hex') }).toEqual({
          size: seen.size,
          root: seen.root.toString('hex'),
        });
        continue;
      }
      const log = ended.find((each) => each.vkey === one.vkey)!;
      expect(log.origin).toBe(seen.origin);
      if (!this.isNewestForgotten) expect(seen.size).toBeLessThanOrEqual(log.size);
      if (seen.size === log.size) expect(seen.root.toString('base64')).toBe(log.root);
      const last = openNote(log.statement, log.vkey, { withExtension: true });
      expect({ size: last.size, root: last.root.toString('base64') }).toEqual({ size: log.size, root: log.root });
      expect(last.extension).toMatch(/^ended \S+$/);
    }
    if (ended.length === 0) return;
    const last = ended.at(-1)!;
    expect(origin).not.toBe(last.origin);
    const hex = Buffer.from(last.root, 'base64').toString('hex');
    expect(String(entries[0])).toBe(`historyLog-${last.origin}\n${last.size}\n${hex}\n`);
    expect(openNote(last.statement, last.vkey, { withExtension: true }).extension).toBe(`ended ${origin}`);
  }

  /**
   * Keeps only the first log's checkpoints. No machine knows the later logs any more, or the first log's newest
   * checkpoint.
   */
  forgetLaterLogs(): void {
    this.isNewestForgotten = true;
    const [{ vkey }] = this.witnessed as [Witnessed];
    this.witnessed.splice(0, this.witnessed.length, ...this.witnessed.filter((one) => one.vkey === vkey));
  }

  private async runVerification(gateway: Gateway, checkpoint: string) {
    const manage = createManagementClient(gateway);
    const { id } = await manage.post<{ id: string }>('/history/verify', { checkpoint });
    const job = await until('the verification has ended', async () => {
      const found = await manage.get<{
        readonly state: string;
        readonly result: { broken: object[]; checkpoint: string; ended?: EndedLog[] };
      }>(`/jobs/${id}`);
      return found.state !== 'running' && found;
    });
    expect(job.state).toBe('done');
    return job.result;
  }

  private async watch(gateway: Gateway): Promise<void> {
    let isOver = false;
    void gateway.program.exited.then(() => (isOver = true));
    while (!isOver) {
      await this.keep(gateway).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  private async keep(gateway: Gateway): Promise<void> {
    const note = String(await read(gateway, 'log/checkpoint'));
    if (this.witnessed.some((one) => one.note === note)) return;
    const { vkey } = JSON.parse(String(await read(gateway, 'log/key'))) as Witnessed;
    if (note.startsWith(`${vkey.split('+')[0]}\n`)) this.witnessed.push({ note, vkey });
  }
}

const runSql = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
};

const loseNewestEvents = ({ DATABASE_URL: url }: { readonly DATABASE_URL: string }): Promise<void> =>
  runSql(url, 'delete from event_store.event where position > (select max(position) - 6 from event_store.event)');

/** Splits a database's URL into the URL of the server's own database and the name of the database. */
const splitUrl = (url: string): { readonly server: string; readonly name: string } => {
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = '/postgres';
  return { server: String(server), name };
};

/** Waits until no process uses a database: the server notices a killed process only after a while. */
const waitUntilUnused = async (server: string, name: string): Promise<void> => {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await until(`${name} is unused`, async () => {
      const { rows } = await client.query('select from pg_stat_activity where datname = $1', [name]);
      return rows.length === 0;
    });
  } finally {
    await client.end();
  }
};

/** Copies a database that no process uses. */
const backUp = async ({ DATABASE_URL: url }: { readonly DATABASE_URL: string }, harness: E2eHarness) => {
  const { server, name } = splitUrl(url);
  const copy = `${name}_backup_${Date.now().toString(36)}`;
  await waitUntilUnused(server, name);
  await runSql(server, `create database ${copy} template ${name}`);
  harness.addCleanup(() => runSql(server, `drop database ${copy} with (force)`));
  return async (): Promise<void> => {
    await waitUntilUnused(server, name);
    await runSql(server, `drop database ${name} with (force)`);
    await runSql(server, `create database ${name} template ${copy}`);
  };
};

describe('a published history whose stores are lost', () => {
  concurrentE2eTest('KurrentDB: each log continues, or says that it has ended', async (harness) => {
    const server = await KurrentServer.start();
    harness.addCleanup(() => server.stop());
    const store = new KurrentEventStore({ connectionString: server.connectionString });
    harness.addCleanup(() => store.close());
    /** Permanently removes all events of a stream except the newest. */
    const trim = async (stream: string): Promise<void> => {
      await store.setRetention(stream, 1);
      await server.sendCommand({ command: 'scavenge' });
    };
    const losses = await Losses.begin(harness, { EVENT_STORE_URL: server.connectionString });
    const newPlace = async () => ({ ...(await harness.createDatabase()), DATA_DIR: await harness.createFolder() });
    let place = await newPlace();
    let gateway = await losses.start(place);
    const losePostgres = async (): Promise<void> => {
      const keys = await read(gateway, 'export?content_keys=sealed');
      await gateway.program.killAll();
      place = await newPlace();
      await losses.giveKeys(place, keys);
    };
    await losses.write(gateway, 5);

    // A store without the last events replaces the event store.
    const events = await server.backUp();
    await losses.write(gateway, 6);
    expect(await losses.verify(gateway, 0)).toEqual([]);
    await gateway.program.killAll();
    await server.restore(events);
    await losses.reset(place);
    gateway = await losses.start(place);
    expect(await losses.verify(gateway, 1)).toEqual(['store_reset']);
    await losses.write(gateway, 3);

    // PostgreSQL is lost; the events give the same tree: the log continues.
    await losePostgres();
    gateway = await losses.start(place);
    await losses.verify(gateway, 1);
    await losses.write(gateway, 3);

    // PostgreSQL is restored from a backup; the events give the same tree.
    await gateway.program.killAll();
    const restore = await backUp(place, harness);
    const restart = async (): Promise<void> => {
      place = { ...place, DATA_DIR: await harness.createFolder() };
      gateway = await losses.start(place);
    };
    await restart();
    const requests = await losses.beRefused(gateway);
    await losses.write(gateway, 3);
    await gateway.program.killAll();
    await restore();
    await restart();
    await losses.verify(gateway, 1);

    // The same after events were permanently removed: the log ends.
    await gateway.program.killAll();
    await trim(requests);
    await restore();
    await restart();
    expect(await losses.verify(gateway, 2)).toEqual(['store_reset', 'entries_lost']);
    await losses.write(gateway, 3);

    // PostgreSQL is restored to the time of a log that has ended since.
    await gateway.program.killAll();
    await restore();
    await restart();
    await losses.verify(gateway, 2);

    // PostgreSQL is lost, first while all of the log's events exist, then after some were permanently removed.
    await losePostgres();
    gateway = await losses.start(place);
    await losses.verify(gateway, 2);
    await losses.beRefused(gateway);
    await losePostgres();
    await trim(requests);
    gateway = await losses.start(place);
    expect(await losses.verify(gateway, 3)).toEqual(['store_reset', 'entries_lost', 'entries_lost']);
  });

  concurrentE2eTest('PostgreSQL: each log continues, or says that it has ended', async (harness) => {
    const losses = await Losses.begin(harness, {});
    let place = { ...(await harness.createDatabase()), DATA_DIR: await harness.createFolder() };
    let gateway = await losses.start(place);
    await losses.write(gateway, 5);

    // An older database is restored: DATA_DIR knows what has been published since.
    await gateway.program.killAll();
    const restore = await backUp(place, harness);
    gateway = await losses.start(place);
    await losses.write(gateway, 4);
    await gateway.program.killAll();
    await restore();
    gateway = await losses.start(place);
    expect(await losses.verify(gateway, 1)).toEqual(['entries_lost']);
    await losses.writeAndPublish(gateway, 4);

    // The newest events are lost, which the read models have seen.
    await gateway.program.killAll();
    await loseNewestEvents(place);
    await losses.reset(place);
    gateway = await losses.start(place);
    expect(await losses.verify(gateway, 2)).toEqual(['entries_lost', 'store_reset']);
    await losses.write(gateway, 4);

    // The database of the first log is restored. DATA_DIR knows that two logs have ended since, and the third ends now.
    await gateway.program.killAll();
    await restore();
    gateway = await losses.start(place);
    expect(await losses.verify(gateway, 3)).toEqual(['entries_lost', 'store_reset', 'entries_lost']);

    // An older database is restored on another machine, which knows no other log, and reset as the documents say.
    await gateway.program.killAll();
    await restore();
    place = { ...place, DATA_DIR: await harness.createFolder() };
    await losses.reset(place);
    losses.forgetLaterLogs();
    gateway = await losses.start(place);
    await losses.write(gateway, 4);
    expect(await losses.verify(gateway, 1)).toEqual(['store_reset']);

    // Once more, and RESTORED_AT says so: nothing else can know which checkpoints were published since.
    await gateway.program.killAll();
    await restore();
    place = { ...place, DATA_DIR: await harness.createFolder() };
    losses.forgetLaterLogs();
    gateway = await losses.start({ ...place, RESTORED_AT: '2026-11-02T10:00:00Z' });
    await losses.write(gateway, 4);
    expect(await losses.verify(gateway, 1)).toEqual(['entries_lost']);
  });

  concurrentE2eTest(
    'PostgreSQL: the logs that have ended move to another gateway with the history',
    async (harness) => {
      const losses = await Losses.begin(harness, { HISTORY_ORIGIN: 'post.example.com/history' });
      const place = { ...(await harness.createDatabase()), DATA_DIR: await harness.createFolder() };
      let gateway = await losses.start(place);
      await losses.writeAndPublish(gateway, 8);
      await gateway.program.killAll();
      await loseNewestEvents(place);
      await losses.reset(place);
      gateway = await losses.start(place);
      await losses.write(gateway, 2);
      expect(await losses.verify(gateway, 1)).toEqual(['store_reset']);
      const ended = await listEnded(gateway);
      const [history, keys] = [await read(gateway, 'export'), await read(gateway, 'export?content_keys=sealed')];
      await gateway.program.killAll();

      gateway = await losses.start({ ...(await harness.createDatabase()), DATA_DIR: await harness.createFolder() });
      await importHistory(gateway, keys);
      await importHistory(gateway, history);
      expect(await listEnded(gateway)).toEqual(ended);
      expect(await losses.verify(gateway, 1)).toEqual(['store_reset']);
    },
  );
});
