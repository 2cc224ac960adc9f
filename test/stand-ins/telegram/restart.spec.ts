import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { StandInControl } from '../../support/stand-in-control.js';
import { callBot, TOKEN } from './stand-in.js';

const LOADER = new URL('../../support/typescript-loader.js', import.meta.url).href;
const MAIN = fileURLToPath(new URL('../../../stand-ins/telegram/main.ts', import.meta.url));

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspost-restart-'));
});
afterEach(async () => {
  if (child) await end('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const start = async (): Promise<string> => {
  const args = ['--import', LOADER, MAIN, '--ledger', join(folder, 'ledger.jsonl')];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return (JSON.parse(line) as { url: string }).url;
};

const end = async (signal: NodeJS.Signals): Promise<number | null> => {
  const ended = child!;
  child = undefined;
  const exit = once(ended, 'exit');
  ended.kill(signal);
  return ((await exit) as [number | null])[0];
};

describe('the stand-in as a separate process', () => {
  it('keeps every acknowledged message when it is killed under load, and continues after a restart', async () => {
    const url = await start();
    const acknowledged: string[] = [];
    const load = Array.from({ length: 8 }, async (_, client) => {
      for (let n = 0; ; n++) {
        const text = `${client}-${n}`;
        const { body } = await callBot(url, 'sendMessage', { chat_id: '@killed', text });
        acknowledged.push(`${String(body.result.message_id)} ${text}`);
      }
    });
    while (acknowledged.length < 200) await new Promise((resolve) => setImmediate(resolve));
    await end('SIGKILL');
    await Promise.allSettled(load);

    const again = await start();
    const entries = await new StandInControl(again).readLedger();
    const kept = entries.map(({ message_id, text }) => `${message_id} ${text}`);
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    expect(new Set(kept).size).toBe(kept.length);
    const wall = await (await fetch(`${again}/wall`)).text();
    expect(wall).toContain(entries.at(-1)?.text);
    const next = await callBot(again, 'sendMessage', { chat_id: '@killed', text: 'after' });
    expect(next.body.result.message_id).toBe(Number(entries.at(-1)?.message_id) + 1);
  });

  it('writes everything before it exits on SIGTERM', async () => {
    const url = await start();
    await callBot(url, 'sendMessage', { chat_id: '@ended', text: 'last words' });
    expect(await end('SIGTERM')).toBe(0);
    expect(await readFile(join(folder, 'ledger.jsonl'), 'utf8')).toContain('last words');
  });

  it('keeps every acknowledged deletion when it is killed, and tells bots apart after a restart', async () => {
    const url = await start();
    for (const text of ['one', 'two']) await callBot(url, 'sendMessage', { chat_id: '-77', text });
    expect(await callBot(url, 'deleteMessage', { chat_id: '-77', message_id: 2 })).toMatchObject({
      body: { ok: true, result: true },
    });
    await end('SIGKILL');

    const again = await start();
    expect(await new StandInControl(again).listChanges()).toMatchObject([{ kind: 'deleted', message_id: '2' }]);
    const gone = 'Bad Request: message to delete not found';
    const remove = (message_id: number, token?: string) =>
      callBot(again, 'deleteMessage', { chat_id: '-77', message_id }, ...(token === undefined ? [] : [token]));
    expect((await remove(2)).body.description).toBe(gone);
    expect((await remove(1, `8${TOKEN}`)).body.description).toBe(gone);
    expect((await remove(1)).body.result).toBe(true);
    expect(await (await fetch(`${again}/wall`)).text()).toContain('class="post deleted"');
  });
});
