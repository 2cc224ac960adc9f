/** The environment of a bench: its own embedded PostgreSQL, gateways and load generators, all of which end with it. */
import { fork } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import pino from 'pino';
import { startEmbeddedPostgres } from '../dist/postgres/embedded.js';
import { startNode } from './processes.js';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

export const OPERATOR_KEY = 'service_operator_bench';

/** Returns the number given as `--name=…`, or the fallback. */
export const readOption = (args, name, fallback) =>
  Number(args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? fallback);

/** Number of WAL segments. The default is 3 GB, more than a bench writes. */
const WAL_SEGMENTS = readOption(process.argv, 'wal-segments', 192);

/** Settings of every process of an environment. */
export const environmentSettings = { SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'), OPERATOR_KEY };

/** Runs a bench with gateways that use this limits profile. @param more more settings of the server */
export const withBenchEnvironment = async (profile, runBench, more = {}) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'crosspost-bench-'));
  const settings = { max_wal_size: '16GB', min_wal_size: `${WAL_SEGMENTS * 16}MB`, ...more };
  const database = await startEmbeddedPostgres({ dataDir, logger: pino({ level: 'silent' }), settings });
  const stops = [() => database.stop()];
  try {
    await useLogSegments(database.connectionString);
    const profileFile = join(dataDir, 'limits.json');
    await writeFile(profileFile, JSON.stringify(profile));
    const gatewaySettings = {
      ...environmentSettings,
      DATABASE_URL: database.connectionString,
      LIMITS_PROFILE: profileFile,
      PORT: '0',
      DEMO: 'off',
      TELEGRAM_API_URL: 'http://127.0.0.1:9',
    };
    await runBench({
      postmaster: await postmasterOf(dataDir),
      connectionString: database.connectionString,
      /** Returns the path of a file that is deleted with the environment. */
      file: (name) => join(dataDir, name),
      /** Registers a function to be called before the database stops. */
      onEnd: (stop) => void stops.push(stop),
      /** Starts a network's stand-in in its own process. Returns `{ pid, port, url, stop }`. */
      startStandIn: async (network = 'telegram') => {
        const args = ['--ledger', join(dataDir, `${network}.jsonl`)];
        const started = await startNode(here(`../dist/stand-ins/${network}/main.js`), args, {}, addressIn, 'ignore');
        stops.push(started.stop);
        const url = started.value;
        return { pid: started.pid, port: Number(new URL(url).port), url, stop: started.stop };
      },
      /**
       * Starts a gateway with additional settings. Returns `{ pid, port, url, stop }`. For `stderr` and `flags`, see
       * startNode.
       */
      startGateway: async (more, stderr, flags) => {
        const settings = { ...gatewaySettings, ...more };
        // Each database has a store of files of its own.
        settings.MEDIA_STORE = join(dataDir, 'uploads', basename(new URL(settings.DATABASE_URL).pathname));
        const started = await startNode(here('../dist/main.js'), [], settings, addressIn, stderr, flags);
        stops.push(started.stop);
        const url = started.value;
        return { pid: started.pid, port: Number(new URL(url).port), url, stop: started.stop };
      },
      /**
       * Starts a load generator. Returns a function that sends it a job and returns the result; `pid` is its process,
       * and `stop` ends a job that would not end on its own.
       */
      startGenerator: (script) => {
        const child = fork(here(script));
        stops.push(async () => child.kill());
        const runJob = (job) =>
          new Promise((resolve, reject) => {
            const exited = (code) => reject(new Error(`${script} exited with code ${code}`));
            child.once('exit', exited);
            child.once('message', (result) => {
              child.off('exit', exited);
              resolve(result);
            });
            child.send(job);
          });
        return Object.assign(runJob, { pid: child.pid, stop: () => child.send('stop') });
      },
    });
  } finally {
    for (const stop of stops.reverse()) await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
};

/**
 * Creates the WAL segments in advance. A server that has run for a while reuses segments. A new server creates each one
 * first, 16 MB at a time, and blocks every commit for about 60 ms, which would dominate the measured p99.
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

/** Returns the address in a line; a gateway prints the address of its console. */
const addressIn = (line) => /(http:\/\/[^\s"/]+)/.exec(line)?.[1];

const postmasterOf = async (dataDir) => {
  for (const entry of await readdir(dataDir, { recursive: true })) {
    if (entry.endsWith('postmaster.pid')) return Number((await readFile(join(dataDir, entry), 'utf8')).split('\n')[0]);
  }
  throw new Error(`found no postmaster.pid in ${dataDir}`);
};
