import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isAlive, postmasterPid } from '../postgres/spawn-embedded.js';
import { Program } from '../support/gateway.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { scene, type Stage } from './e2e-harness.js';
import { until } from './until.js';

/** What a gateway says that does not start. */
const refusal = (stage: Stage, settings: Readonly<Record<string, string>>): Promise<string> =>
  stage.gateway(settings).then(
    () => 'none: it started',
    (error: Error) => error.message,
  );

const expectSentence = (said: string, sentence: RegExp): void => {
  expect(said).toMatch(sentence);
  expect(said).toContain('"code":1');
  expect(said).not.toMatch(/^\s+at /m); // no stack
};

describe('what does not fit is told in a sentence that names the setting', () => {
  scene('a port that another program has', async (stage) => {
    const other = createServer().listen(0, '127.0.0.1');
    stage.atTheEnd(async () => other.close());
    await until('it listens', () => other.listening);
    const { port } = other.address() as { port: number };
    const said = await refusal(stage, { DATA_DIR: await stage.dataDir(), PORT: String(port) });
    expectSentence(said, new RegExp(`PORT ${port} on 127\\.0\\.0\\.1 is taken by another program`));
  });

  scene('an address that is not this machine’s', async (stage) => {
    const said = await refusal(stage, { DATA_DIR: await stage.dataDir(), HOST: '192.0.2.1' });
    expectSentence(said, /HOST 192\.0\.2\.1 is no address of this machine/);
  });

  scene('a database that will not have us, or is not there', async (stage) => {
    const database = await stage.database();
    const urlWith = (change: (url: URL) => void): string => {
      const url = new URL(database.DATABASE_URL);
      change(url);
      return url.href;
    };
    const wrongPassword = urlWith((url) => (url.password = 'hunter2'));
    const noSuchDatabase = urlWith((url) => (url.pathname = '/nobody'));
    for (const [DATABASE_URL, words] of [
      [wrongPassword, /password authentication failed/],
      [noSuchDatabase, /database "nobody" does not exist/],
    ] as const) {
      const said = await refusal(stage, { ...database, DATABASE_URL, DATA_DIR: await stage.folder() });
      expectSentence(said, /DATABASE_URL leads to a database that cannot be used/);
      expect(said).toMatch(words);
      expect(said).not.toContain('hunter2');
    }
  });

  scene('an event store that cannot be, without its password', async (stage) => {
    const database = await stage.database();
    for (const [EVENT_STORE_URL, words] of [
      ['kurrentdb://admin:hunter2@127.0.0.1:2113?tls=maybe', /Unexpected "maybe"/],
      ['kurrentdb://admin:hunter2@127.0.0.1:2113?lts=false', /Unknown option key "lts"/],
      ['kurrentdb://admin:hunter2@127.0.0.1:99999', /EVENT_STORE_URL/],
    ] as const) {
      const said = await refusal(stage, { ...database, EVENT_STORE_URL, DATA_DIR: await stage.folder() });
      expectSentence(said, /EVENT_STORE_URL leads to an event store that cannot be used/);
      expect(said).toMatch(words);
      expect(said).not.toContain('hunter2');
    }
  });
});

describe('an argument', () => {
  const say = async (stage: Stage, ...args: string[]): Promise<{ program: Program; code: number | null }> => {
    const program = Program.spawn('gateway', ['main.js', ...args], { DATA_DIR: await stage.dataDir(), PORT: '0' });
    stage.atTheEnd(() => program.killAll());
    await until('it has ended', () => !program.isRunning);
    return { program, code: (await program.exited).code };
  };

  scene('that does not exist starts nothing', async (stage) => {
    for (const args of [['--hlp'], ['--version'], ['help'], ['--help', '--port=80']]) {
      const { program, code } = await say(stage, ...args);
      expect(code).toBe(1);
      const sentence = `There is no argument "${args.at(-1)}": --help alone is one, and tells every setting.`;
      await until('it has said why', () => program.log === sentence);
      expect(program.output).toBe('');
    }
  });

  scene('--help tells the settings, and of files that are there', async (stage) => {
    const { program, code } = await say(stage, '--help');
    expect(code).toBe(0);
    await until('all is printed', () => /\n {2}NODE_ENV .*\n.*\n$/.test(program.output));
    const [file] = /\b(?:src|dist)\/\S+\.json/.exec(program.output) ?? [];
    expect(file).toMatch(/^dist\//); // what is shipped has no sources
    expect(existsSync(file!)).toBe(true);
  });
});

describe('SIGTERM before the start is over', () => {
  const begin = (stage: Stage, env: Readonly<Record<string, string>>): Program => {
    const program = Program.spawn('gateway', ['main.js'], { PORT: '0', DEMO: 'off', ...env });
    stage.atTheEnd(() => program.killAll());
    return program;
  };

  scene('ends the wait for a database at once', async (stage) => {
    const database = await stage.database();
    const proxy = await TcpProxy.start(database.DATABASE_URL);
    stage.atTheEnd(() => proxy.stop());
    await proxy.refuse();
    const DATABASE_URL = proxy.through(database.DATABASE_URL);
    const program = begin(stage, { ...database, DATABASE_URL, DATA_DIR: await stage.folder() });
    await until('it waits', () => /"setting":"DATABASE_URL".*waiting for a database/.test(program.log));
    expect(await program.terminate()).toEqual({ code: 0, signal: null });
  });

  scene('ends the wait for an event store, whose address is told without the password', async (stage) => {
    const EVENT_STORE_URL = 'kurrentdb://admin:hunter2@127.0.0.1:1?tls=false';
    const program = begin(stage, { ...(await stage.database()), EVENT_STORE_URL, DATA_DIR: await stage.folder() });
    await until('it waits', () => program.log.includes('waiting for an event store'));
    expect(program.log).toContain('"address":"kurrentdb://admin:********@127.0.0.1:1?tls=false"');
    expect(program.log).not.toContain('hunter2');
    expect(await program.terminate()).toEqual({ code: 0, signal: null });
  });

  scene('leaves no PostgreSQL running', async (stage) => {
    const DATA_DIR = await stage.dataDir();
    const program = begin(stage, { DATA_DIR });
    await until('PostgreSQL is ready', () => program.log.includes('PostgreSQL is ready'));
    const postgres = postmasterPid(DATA_DIR);
    expect(await program.terminate()).toEqual({ code: 0, signal: null });
    expect(isAlive(postgres)).toBe(false);
  });
});

describe('what is printed', () => {
  it('may find nobody who reads it any more', async () => {
    const program = Program.spawn('gateway', ['main.js', '--help'], {});
    program.stopListening();
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(program.log).toBe('');
  });
});

describe('the demo', () => {
  const banner = /Demo endpoint\s+(\S+)[^]*Bearer (\S+?)'/;
  const invitation = (stage: Stage, settings: Readonly<Record<string, string>>) =>
    stage.gateway({ DEMO: 'on', ...settings }).then(({ url, program }) =>
      until('the invitation is printed', () => {
        const [, endpoint, token] = banner.exec(program.output) ?? [];
        return token !== undefined && { url, endpoint: endpoint!, token, program };
      }),
    );
  const isTaken = async (url: string, token: string): Promise<boolean> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(url, { method: 'POST', headers, body: '{"text": "Hello"}' })).status === 200;
  };

  scene('is set up also where BASE_URL is an address that leads here only from outside', async (stage) => {
    const BASE_URL = 'http://post.invalid/gateway';
    const { endpoint, program } = await invitation(stage, { DATA_DIR: await stage.dataDir(), BASE_URL });
    expect(endpoint).toMatch(/^http:\/\/post\.invalid\/gateway\/v1\/webhooks\/\w+$/);
    expect(program.output).toContain('http://post.invalid/gateway/walls');
  });

  scene('has the same endpoint at the next start; with another database, a new one that works', async (stage) => {
    const DATA_DIR = await stage.dataDir();
    const first = await invitation(stage, { DATA_DIR });
    await first.program.terminate();
    const second = await invitation(stage, { DATA_DIR });
    expect([new URL(second.endpoint).pathname, second.token]).toEqual([new URL(first.endpoint).pathname, first.token]);
    await second.program.terminate();

    const other = await stage.dataDir();
    await writeFile(join(other, 'demo.json'), JSON.stringify({ id: 'ep_of_another_database', token: first.token }));
    const third = await invitation(stage, { DATA_DIR: other });
    expect(await isTaken(third.endpoint, third.token)).toBe(true);
  });

  scene('is not set up by a process that nobody works for', async (stage) => {
    const { program } = await stage.gateway({ DEMO: 'on', DATA_DIR: await stage.dataDir(), ROLES: 'api' });
    expect(program.output).not.toContain('Demo endpoint');
    expect(program.isRunning).toBe(true);
  });
});
