// More than 20 s: some 35 starts of the program, five of them in a row for the demo.
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createLogger } from '../../src/config/logger.js';
import { startEmbeddedPostgres } from '../../src/postgres/embedded.js';
import { isAlive, postmasterPid, query } from '../postgres/spawn-embedded.js';
import { createUnreleasedSchema } from '../postgres/unreleased-schema.js';
import { Program } from '../support/gateway-process.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TransactionPooler } from '../support/transaction-pooler.js';
import { concurrentE2eTest, type E2eHarness } from './e2e-harness.js';
import { OPERATOR_KEY } from './management-client.js';
import { until } from './until.js';

/** Returns the error of a gateway that does not start. */
const startAndFail = (harness: E2eHarness, settings: Readonly<Record<string, string>>): Promise<string> =>
  harness.startGateway(settings).then(
    () => 'none: it started',
    (error: Error) => error.message,
  );

const expectStartupError = (error: string, message: RegExp): void => {
  expect(error).toMatch(message);
  expect(error).toContain('"code":1');
  expect(error).not.toMatch(/^\s+at /m); // no stack
};

describe('an invalid setting is reported in a sentence that names it', () => {
  concurrentE2eTest('a port that another program uses', async (harness) => {
    const other = createServer().listen(0, '127.0.0.1');
    harness.addCleanup(async () => other.close());
    await until('it listens', () => other.listening);
    const { port } = other.address() as { port: number };
    const error = await startAndFail(harness, { DATA_DIR: await harness.createDataDir(), PORT: String(port) });
    expectStartupError(error, new RegExp(`PORT ${port} on 127\\.0\\.0\\.1 is used by another program`));
  });

  concurrentE2eTest('an address of another machine', async (harness) => {
    const error = await startAndFail(harness, { DATA_DIR: await harness.createDataDir(), HOST: '192.0.2.1' });
    expectStartupError(error, /HOST 192\.0\.2\.1 is not an address of this machine/);
  });

  concurrentE2eTest('a database that rejects the password or does not exist', async (harness) => {
    const database = await harness.createDatabase();
    const urlWith = (change: (url: URL) => void): string => {
      const url = new URL(database.DATABASE_URL);
      change(url);
      return url.href;
    };
    const wrongPassword = urlWith((url) => (url.password = 'hunter2'));
    const noSuchDatabase = urlWith((url) => (url.pathname = '/missing'));
    for (const [DATABASE_URL, cause] of [
      [wrongPassword, /password authentication failed/],
      [noSuchDatabase, /database "missing" does not exist/],
    ] as const) {
      const error = await startAndFail(harness, { ...database, DATABASE_URL, DATA_DIR: await harness.createFolder() });
      expectStartupError(error, /DATABASE_URL points at a database that cannot be used/);
      expect(error).toMatch(cause);
      expect(error).not.toContain('hunter2');
    }
  });

  concurrentE2eTest('a pooler in transaction mode, and fewer connections than DATABASE_POOL', async (harness) => {
    const database = await harness.createDatabase();
    const pooler = await TransactionPooler.start(database.DATABASE_URL);
    harness.addCleanup(() => pooler.stop());
    for (const [settings, message] of [
      [{ DATABASE_URL: pooler.through(database.DATABASE_URL) }, /DATABASE_URL points at a pooler in transaction mode/],
      [{ DATABASE_POOL: '500' }, /DATABASE_POOL is 500, but the server at DATABASE_URL allows 200 connections/],
    ] as const)
      expectStartupError(
        await startAndFail(harness, { ...database, DATA_DIR: await harness.createFolder(), ...settings }),
        message,
      );
  });

  concurrentE2eTest('a role that may not create schemas and tables', async (harness) => {
    const database = await harness.createDatabase({ migrated: false });
    const url = new URL(database.DATABASE_URL);
    const role = `${url.pathname.slice(1)}_reader`;
    await query(database.DATABASE_URL, `create role ${role} login password 'secret'`);
    [url.username, url.password] = [role, 'secret'];
    const settings = { ...database, DATABASE_URL: url.href, DATA_DIR: await harness.createFolder() };
    expectStartupError(
      await startAndFail(harness, settings),
      /may not create schemas and tables[^]*GRANT CREATE ON DATABASE/,
    );
    const name = url.pathname.slice(1);
    await query(database.DATABASE_URL, `revoke connect on database ${name} from public`);
    const error = await startAndFail(harness, settings);
    expectStartupError(error, new RegExp(`GRANT CONNECT ON DATABASE ${name} TO ${role};`));
  });

  concurrentE2eTest('a database or a DATA_DIR of an unreleased version', async (harness) => {
    const database = await harness.createDatabase({ migrated: false });
    await createUnreleasedSchema(database.DATABASE_URL);
    const DATA_DIR = await harness.createDataDir();
    const postgres = await startEmbeddedPostgres({ dataDir: DATA_DIR, logger: createLogger({ logLevel: 'silent' }) });
    await createUnreleasedSchema(postgres.connectionString);
    await postgres.stop();
    for (const settings of [{ ...database, DATA_DIR: await harness.createFolder() }, { DATA_DIR }]) {
      const error = await startAndFail(harness, settings);
      expectStartupError(error, /created by an unreleased version .* Set DATA_DIR to a new folder, or DATABASE_URL/);
    }
  });

  concurrentE2eTest('an event store whose URL is invalid, without its password', async (harness) => {
    const database = await harness.createDatabase();
    for (const [EVENT_STORE_URL, cause] of [
      ['kurrentdb://admin:hunter2@127.0.0.1:2113?tls=maybe', /Unexpected "maybe"/],
      ['kurrentdb://admin:hunter2@127.0.0.1:2113?lts=false', /Unknown option key "lts"/],
      ['kurrentdb://admin:hunter2@127.0.0.1:99999', /EVENT_STORE_URL/],
    ] as const) {
      const error = await startAndFail(harness, {
        ...database,
        EVENT_STORE_URL,
        DATA_DIR: await harness.createFolder(),
      });
      expectStartupError(error, /EVENT_STORE_URL points at an event store that cannot be used/);
      expect(error).toMatch(cause);
      expect(error).not.toContain('hunter2');
    }
  });
});

describe('an argument', () => {
  const runWithArguments = async (
    harness: E2eHarness,
    ...args: string[]
  ): Promise<{ program: Program; code: number | null }> => {
    const program = Program.spawn('gateway', ['main.js', ...args], {
      DATA_DIR: await harness.createFolder(),
      PORT: '0',
    });
    harness.addCleanup(() => program.killAll());
    await until('it has ended', () => !program.isRunning);
    await program.closed;
    return { program, code: (await program.exited).code };
  };

  concurrentE2eTest('that does not exist is an error', async (harness) => {
    for (const args of [['--hlp'], ['-v'], ['help'], ['--help', '--port=80']]) {
      const { program, code } = await runWithArguments(harness, ...args);
      expect(code).toBe(1);
      const message = `Unknown argument "${args.at(-1)}": --help lists every setting, --version prints the version.`;
      await until('it has reported the error', () => program.log === message);
      expect(program.output).toBe('');
    }
  });

  concurrentE2eTest('--version prints the version of package.json', async (harness) => {
    const { program, code } = await runWithArguments(harness, '--version');
    expect(code).toBe(0);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    await until('it is printed', () => program.output === `crosspost ${version}\n`);
  });

  concurrentE2eTest('--help lists the settings and names files that exist', async (harness) => {
    const { program, code } = await runWithArguments(harness, '--help');
    expect(code).toBe(0);
    await until('all is printed', () => /\n {2}NODE_ENV (.+\n)+$/.test(program.output));
    const [file] = /\b(?:src|dist)\/\S+\.json/.exec(program.output) ?? [];
    expect(file).toMatch(/^dist\//); // the released program contains no sources
    expect(existsSync(file!)).toBe(true);
  });
});

describe('NODE_ENV', () => {
  const start = async (harness: E2eHarness, env: Readonly<Record<string, string>>): Promise<Program> => {
    const program = Program.spawn('gateway', ['main.js'], {
      PORT: '0',
      DATA_DIR: await harness.createDataDir(),
      ...env,
    });
    harness.addCleanup(() => program.killAll());
    return program;
  };

  concurrentE2eTest('production without a database starts no demo and prints no key', async (harness) => {
    for (const [env, name] of [
      [{ NODE_ENV: 'production' }, 'DATABASE_URL'],
      [{ NODE_ENV: 'production', DEMO: 'on' }, 'OPERATOR_KEY'],
      [{ NODE_ENV: 'prod' }, 'NODE_ENV'],
    ] as const) {
      const program = await start(harness, env);
      expect(await program.exited).toEqual({ code: 1, signal: null });
      await until('it has reported the error', () => program.log.includes(`  ${name} `));
      expect(program.output).toBe('');
    }
  });

  concurrentE2eTest(
    'production starts the demo if it is asked for, without printing the operator key',
    async (harness) => {
      const program = await start(harness, {
        NODE_ENV: 'production',
        DEMO: 'on',
        OPERATOR_KEY: 'a-key-that-is-not-printed',
      });
      await until('the demo endpoint is printed', () => program.output.includes('Demo endpoint'));
      expect(program.output).not.toMatch(/Operator key|a-key-that-is-not-printed/);
    },
  );
});

concurrentE2eTest('a process with the role tools alone starts, and says what it serves', async (harness) => {
  const env = { ...(await harness.createDatabase()), DATA_DIR: await harness.createFolder(), ROLES: 'tools' };
  const { url, program } = await harness.startGateway(env);
  expect(program.output).not.toContain('Console');
  expect(program.output).toMatch(/Serves +\/sse, \/healthz, \/readyz, \/metrics/);
  expect(await (await fetch(url)).json()).toEqual({ ok: true, routes: ['GET /healthz', 'GET /readyz'] });
});

describe('SIGTERM during startup', () => {
  const spawnGateway = (harness: E2eHarness, env: Readonly<Record<string, string>>): Program => {
    const program = Program.spawn('gateway', ['main.js'], { PORT: '0', DEMO: 'off', ...env });
    harness.addCleanup(() => program.killAll());
    return program;
  };

  concurrentE2eTest('ends the wait for a database at once', async (harness) => {
    const database = await harness.createDatabase();
    const proxy = await TcpProxy.start(database.DATABASE_URL);
    harness.addCleanup(() => proxy.stop());
    await proxy.refuse();
    const DATABASE_URL = proxy.through(database.DATABASE_URL);
    const program = spawnGateway(harness, { ...database, DATABASE_URL, DATA_DIR: await harness.createFolder() });
    await until('it waits', () => /"setting":"DATABASE_URL".*waiting for a database/.test(program.log));
    expect(await program.terminate()).toEqual({ code: 0, signal: null });
  });

  concurrentE2eTest(
    'ends the wait for an event store, whose address is logged without its password',
    async (harness) => {
      const EVENT_STORE_URL = 'kurrentdb://admin:hunter2@127.0.0.1:1?tls=false';
      const program = spawnGateway(harness, {
        ...(await harness.createDatabase()),
        EVENT_STORE_URL,
        DATA_DIR: await harness.createFolder(),
      });
      await until('it waits', () => program.log.includes('waiting for an event store'));
      expect(program.log).toContain('"address":"kurrentdb://admin:********@127.0.0.1:1?tls=false"');
      expect(program.log).not.toContain('hunter2');
      expect(await program.terminate()).toEqual({ code: 0, signal: null });
    },
  );

  concurrentE2eTest('leaves no PostgreSQL running', async (harness) => {
    const DATA_DIR = await harness.createDataDir();
    const program = spawnGateway(harness, { DATA_DIR });
    await until('PostgreSQL is ready', () => program.log.includes('PostgreSQL is ready'));
    const postgres = postmasterPid(DATA_DIR);
    expect(await program.terminate()).toEqual({ code: 0, signal: null });
    expect(isAlive(postgres)).toBe(false);
  });
});

describe('the output', () => {
  it.concurrent('may be closed by its reader', async () => {
    const program = Program.spawn('gateway', ['main.js', '--help'], {});
    program.closeOutput();
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(program.log).toBe('');
  });
});

describe('the demo', () => {
  const banner = /Demo endpoint\s+(\S+)[^]*Bearer (\S+?)'/;
  const startDemo = (harness: E2eHarness, settings: Readonly<Record<string, string>>) =>
    harness.startGateway({ DEMO: 'on', ...settings }).then(({ url, program }) =>
      until('the demo endpoint is printed', () => {
        const [, endpoint, token] = banner.exec(program.output) ?? [];
        return token !== undefined && { url, endpoint: endpoint!, token, program };
      }),
    );
  const isAccepted = async (url: string, token: string): Promise<boolean> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body: '{"text": "Hello"}' })).status === 200;
  };

  concurrentE2eTest('is created even if BASE_URL is reachable only from outside', async (harness) => {
    const BASE_URL = 'http://post.invalid/gateway';
    const { endpoint, program } = await startDemo(harness, { DATA_DIR: await harness.createDataDir(), BASE_URL });
    expect(endpoint).toMatch(/^http:\/\/post\.invalid\/gateway\/v1\/webhooks\/\w+$/);
    expect(program.output).toContain('http://post.invalid/gateway/walls');
  });

  concurrentE2eTest('accepts posts without an interval, whichever version created it (D-52)', async (harness) => {
    const DATA_DIR = await harness.createDataDir();
    const first = await startDemo(harness, { DATA_DIR });
    for (let post = 0; post < 8; post++) expect(await isAccepted(first.endpoint, first.token)).toBe(true);
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' };
    const manage = async (url: string, method: string, path: string, body?: string) => {
      const answer = await fetch(`${url}/manage/v1/endpoints${path}`, { method, headers, ...(body && { body }) });
      return answer.json() as Promise<{ items: { id: string; min_interval: number }[] }>;
    };
    const { items } = await manage(first.url, 'GET', '');
    expect(items).toMatchObject([{ min_interval: 0 }]);
    const { id } = items[0]!;
    await manage(first.url, 'PATCH', `/${id}`, '{"min_interval": 1}'); // as earlier versions created it
    await manage(first.url, 'POST', `/${id}/disable`, '{}');
    await first.program.terminate();

    const second = await startDemo(harness, { DATA_DIR });
    expect([new URL(second.endpoint).pathname, second.token]).toEqual([new URL(first.endpoint).pathname, first.token]);
    expect(await manage(second.url, 'GET', `/${id}`)).toMatchObject({ min_interval: 0, is_active: false });
    const enable = `${second.url}/manage/v1/endpoints/${id}/enable`;
    expect(second.program.output).toContain(`POST ${enable}`);
    expect((await fetch(enable, { method: 'POST', headers: { authorization: headers.authorization } })).status).toBe(
      200,
    );
    expect(await isAccepted(second.endpoint, second.token)).toBe(true);
    await second.program.terminate();
  });

  /** The code of the link that a start printed. */
  const codeIn = ({ output }: Program): string | undefined =>
    /^\s*Console +http:\S+\/console#code=(\S+)\n/.exec(output)?.[1];
  const signIn = async (url: string, code: string) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/manage/v1/sign-in`, { method: 'POST', headers, body: JSON.stringify({ code }) });
    return {
      status: answer.status,
      ...((await answer.json()) as { key: string; owner: { id: string; name: string } }),
    };
  };
  const manageAs = (key: string, url: string, path: string, method = 'GET') =>
    fetch(`${url}/manage/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } });

  concurrentE2eTest(
    'prints a link first that signs its owner in, once, with the same key after each start',
    async (harness) => {
      const DATA_DIR = await harness.createDataDir();
      const first = await startDemo(harness, { DATA_DIR });
      const code = codeIn(first.program)!;
      const { status, key, owner } = await signIn(first.url, code);
      expect([status, owner.name]).toEqual([200, 'Demo']);
      expect(await (await manageAs(key, first.url, '/channels')).json()).toMatchObject({ items: { length: 4 } });
      expect((await signIn(first.url, code)).status).toBe(401);
      const { items } = (await (await manageAs(key, first.url, '/endpoints')).json()) as { items: { id: string }[] };
      await first.program.terminate();

      // As an earlier version left it: without the owner's key.
      const file = join(DATA_DIR, 'demo.json');
      const { id, token } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
      await writeFile(file, JSON.stringify({ id, token }));
      const second = await startDemo(harness, { DATA_DIR });
      const renewed = await signIn(second.url, codeIn(second.program)!);
      expect([renewed.status, renewed.owner]).toEqual([200, owner]);
      expect((await manageAs(renewed.key, second.url, `/endpoints/${items[0]!.id}`, 'DELETE')).status).toBe(204);
      await second.program.terminate();

      // If people delete the endpoint, the demo stays as they left it.
      const third = await harness.startGateway({ DEMO: 'on', DATA_DIR });
      const again = await until('the link is printed', () => codeIn(third.program));
      expect(third.program.output).not.toContain('Demo endpoint');
      expect(again).not.toBe(codeIn(second.program));
      expect(await signIn(third.url, again)).toEqual({ status: 200, key: renewed.key, owner });
      expect(await (await manageAs(OPERATOR_KEY, third.url, '/owners')).json()).toMatchObject({ items: { length: 1 } });
      expect((await manageAs(renewed.key, third.url, `/owners/${owner.id}/rotate-key`, 'POST')).status).toBe(200);
      await third.program.terminate();

      // A key that people have replaced stays theirs.
      const fourth = await harness.startGateway({ DEMO: 'on', DATA_DIR });
      await until('the banner is printed', () => /^\s*Console +http:\S+\/console\n/.test(fourth.program.output));
      await manageAs(OPERATOR_KEY, fourth.url, `/owners/${owner.id}`, 'DELETE');
      await fourth.program.terminate();

      // If its owner is deleted, the next start creates another demo.
      const fifth = await startDemo(harness, { DATA_DIR });
      expect(await isAccepted(fifth.endpoint, fifth.token)).toBe(true);
      const created = await signIn(fifth.url, codeIn(fifth.program)!);
      expect([created.status, created.owner.id === owner.id]).toEqual([200, false]);
      await fifth.program.terminate();
    },
  );

  concurrentE2eTest('has a new endpoint with another database', async (harness) => {
    const DATA_DIR = await harness.createDataDir();
    const first = await startDemo(harness, { DATA_DIR });
    await first.program.terminate();

    const other = await harness.createDataDir();
    await writeFile(join(other, 'demo.json'), JSON.stringify({ id: 'ep_of_another_database', token: first.token }));
    const third = await startDemo(harness, { DATA_DIR: other });
    expect(await isAccepted(third.endpoint, third.token)).toBe(true);
  });

  concurrentE2eTest(
    'is not created by a process without a worker, which leads to the console all the same',
    async (harness) => {
      const { url, program } = await harness.startGateway({
        DEMO: 'on',
        DATA_DIR: await harness.createDataDir(),
        ROLES: 'api',
      });
      expect(program.output).not.toContain('Demo endpoint');
      const root = await fetch(url, { redirect: 'manual' });
      expect([root.status, root.headers.get('location')]).toEqual([302, '/console']);
      const page = await fetch(url);
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      const [, script] = /<script [^>]*src="([^"]+)"/.exec(await page.text())!;
      const asset = await fetch(new URL(script!, url), { headers: { 'accept-encoding': 'gzip' } });
      expect([asset.status, asset.headers.get('content-encoding')]).toEqual([200, 'gzip']);
      expect(program.isRunning).toBe(true);
    },
  );
});
