/** What a bench plays on: an embedded PostgreSQL of its own, gateways, load generators; all of it ended with the bench. */
import { fork } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import pino from 'pino';
import { startEmbeddedPostgres } from '../dist/postgres/embedded.js';
import { startNode } from './processes.js';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

export const OPERATOR_KEY = 'service_operator_bench';

/** What every process of a stage is given. */
export const stageSettings = { SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'), OPERATOR_KEY };

/** Plays a bench over a gateway whose limits are this profile. */
export const onStage = async (profile, play) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'crosspost-bench-'));
  const settings = { max_wal_size: '16GB', min_wal_size: `${WAL_SEGMENTS * 16}MB` };
  const database = await startEmbeddedPostgres({ dataDir, logger: pino({ level: 'silent' }), settings });
  const stops = [() => database.stop()];
  try {
    await useLogSegments(database.connectionString);
    const profileFile = join(dataDir, 'limits.json');
    await writeFile(profileFile, JSON.stringify(profile));
    const gatewaySettings = {
      ...stageSettings,
      DATABASE_URL: database.connectionString,
      LIMITS_PROFILE: profileFile,
      PORT: '0',
      DEMO: 'off',
      TELEGRAM_API_URL: 'http://127.0.0.1:9',
    };
    await play({
      postmaster: await postmasterOf(dataDir),
      connectionString: database.connectionString,
      /** Path of a file that lasts as long as the stage. */
      file: (name) => join(dataDir, name),
      /** Does this before the database ends. */
      onEnd: (stop) => void stops.push(stop),
      /** A network's stand-in, in a process of its own: `{ pid, port, url, stop }`. */
      standIn: async (network = 'telegram') => {
        const args = ['--ledger', join(dataDir, `${network}.jsonl`)];
        const started = await startNode(here(`../dist/stand-ins/${network}/main.js`), args, {}, addressIn, 'ignore');
        stops.push(started.stop);
        const url = started.value;
        return { pid: started.pid, port: Number(new URL(url).port), url, stop: started.stop };
      },
      /** A gateway with these settings beside the stage's own: `{ pid, port, url, stop }`. `stderr`: see startNode. */
      gateway: async (more, stderr) => {
        const started = await startNode(
          here('../dist/main.js'),
          [],
          { ...gatewaySettings, ...more },
          addressIn,
          stderr,
        );
        stops.push(started.stop);
        const url = started.value;
        return { pid: started.pid, port: Number(new URL(url).port), url, stop: started.stop };
      },
      /** A load generator: answers each job that it is given; `pid` says which process it is. */
      generator: (script) => {
        const child = fork(here(script));
        stops.push(async () => child.kill());
        const ask = (job) =>
          new Promise((resolve, reject) => {
            const ended = (code) => reject(new Error(`${script} ended with ${code}`));
            child.once('exit', ended);
            child.once('message', (answer) => {
              child.off('exit', ended);
              resolve(answer);
            });
            child.send(job);
          });
        return Object.assign(ask, { pid: child.pid });
      },
    });
  } finally {
    for (const stop of stops.reverse()) await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** 3 GB: more than a bench writes. */
const WAL_SEGMENTS = 192;

/**
 * A server that has run for a while writes its log into segments that it has used before. A new one makes each of them
 * first, 16 MB at a time, and nobody's commit gets through for some 60 ms: that would be the p99 of whoever is measured.
 */
const useLogSegments = async (connectionString) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (let i = 0; i < WAL_SEGMENTS; i++) {
    await client.query(`select pg_logical_emit_message(true, 'bench', 'x')`);
    await client.query('select pg_switch_wal()');
  }
  await client.query('checkpoint');
  await client.end();
};

/** The number given as `--name=…`, or the fallback. */
export const option = (args, name, fallback) =>
  Number(args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? fallback);

const addressIn = (line) => /(http:\/\/[^\s"]+)/.exec(line)?.[1];

const postmasterOf = async (dataDir) => {
  for (const entry of await readdir(dataDir, { recursive: true })) {
    if (entry.endsWith('postmaster.pid')) return Number((await readFile(join(dataDir, entry), 'utf8')).split('\n')[0]);
  }
  throw new Error('no postmaster.pid');
};
