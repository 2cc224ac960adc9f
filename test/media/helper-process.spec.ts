import { readdir, readFile } from 'node:fs/promises';
import { buildProgram, HelperProcess } from '../../src/media/helper.js';

const open: HelperProcess<never, never>[] = [];
afterEach(() => open.splice(0).forEach((helper) => helper.close()));

/** Starts a helper with few rights. @param set the helper's program */
const start = <Request, Response>(
  set: () => Promise<(request: Request) => Promise<Response>>,
  maxMemoryMb = 512,
): HelperProcess<Request, Response> => {
  const program = buildProgram(set);
  const helper = new HelperProcess<Request, Response>({
    program,
    timeoutMs: 60_000,
    maxHeapMb: 64,
    maxMemoryMb,
    libraries: [import.meta.resolve('sharp')],
  });
  open.push(helper as never);
  return helper;
};

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('a helper process, which parses strangers’ files', () => {
  onLinux('has nothing of the gateway’s environment', async () => {
    process.env.HELPER_TEST_SECRET = 'a secret of the gateway';
    try {
      const helper = start(async () => async () => ({ pid: process.pid, names: Object.keys(process.env) }));
      const reply = await helper.ask({});
      if (!('answer' in reply)) throw new Error(JSON.stringify(reply));
      const { pid, names } = reply.answer;
      const environ = (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').filter((text) => text !== '');
      const found = new Set([...environ.map((text) => text.split('=')[0]!), ...names]);
      // The shell's own variables, and Node's channel to its parent.
      expect([...found].filter((name) => !/^(?:PWD|OLDPWD|SHLVL|_|NODE_CHANNEL_\w+)$/.test(name))).toEqual([]);
      expect(await readFile(`/proc/${pid}/cmdline`, 'latin1')).not.toContain('a secret');
    } finally {
      delete process.env.HELPER_TEST_SECRET;
    }
  });

  it('may read no file, write none, start no process and no thread, and works in an empty folder', async () => {
    const helper = start(async () => {
      const fs = await import('node:fs');
      const { execFileSync } = await import('node:child_process');
      const { Worker } = await import('node:worker_threads');
      const codeOf = (attempt: () => unknown): string => {
        try {
          attempt();
          return 'allowed';
        } catch (error) {
          return (error as NodeJS.ErrnoException).code ?? String(error);
        }
      };
      return async () => ({
        cwd: process.cwd(),
        codes: [
          codeOf(() => fs.readFileSync('/etc/hosts')),
          codeOf(() => fs.readdirSync('.')),
          codeOf(() => fs.writeFileSync('written', '')),
          codeOf(() => execFileSync(process.execPath, ['--version'])),
          codeOf(() => new Worker('0', { eval: true })),
        ],
      });
    });
    const reply = await helper.ask({});
    if (!('answer' in reply)) throw new Error(JSON.stringify(reply));
    expect(reply.answer.codes).toEqual(Array(5).fill('ERR_ACCESS_DENIED'));
    expect(reply.answer.cwd).not.toBe(process.cwd());
    expect(await readdir(reply.answer.cwd)).toEqual([]);
    helper.close();
    await expect(readdir(reply.answer.cwd)).rejects.toThrow('ENOENT');
  });

  onLinux('beyond its memory limit gets no more, and the next request is answered', async () => {
    const helper = start(
      async () => async (megabytes: number) => {
        const taken = Array.from({ length: megabytes / 50 }, () => Buffer.alloc(50 * 1_048_576, 1));
        return taken.length;
      },
      400,
    );
    expect(await helper.ask(50)).toEqual({ answer: 1 });
    expect(await helper.ask(1_500)).toEqual({ failed: expect.any(String), died: expect.any(Boolean) });
    expect(await helper.ask(50)).toEqual({ answer: 1 });
  });
});
