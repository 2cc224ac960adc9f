import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../e2e/until.js';

const loader = fileURLToPath(new URL('../support/typescript-loader.js', import.meta.url));
const script = fileURLToPath(new URL('./logging-process.ts', import.meta.url));

describe('the log', () => {
  it('is written to stderr as one JSON object per line, by level, with secrets masked', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', loader, script], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(stderr).not.toContain('hunter2');
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'info', msg: 'hello', position: 5, request: { authorization: '********' } }),
      expect.objectContaining({
        level: 'error',
        msg: 'failed',
        err: {
          type: 'Error',
          message: 'broken',
          code: 'E_BROKEN',
          stack: expect.stringContaining('broken') as unknown,
        },
      }),
      // The framework's messages about routes and modules have the level debug and are not shown.
      expect.objectContaining({ level: 'error', context: 'Handler', msg: 'oh', detail: ['Error: oh\n  at x'] }),
      expect.objectContaining({ level: 'warn', detail: [{ a: 1 }] }),
      expect.objectContaining({
        level: 'fatal',
        msg: 'end',
        err: expect.objectContaining({ message: 'end' }) as unknown,
      }),
    ]);
    for (const { time } of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('is readable text on a terminal', () => {
    // The program script of util-linux gives the process a terminal.
    const command = `${process.execPath} --import ${loader} ${script}`;
    const output = execFileSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' });
    expect(output).toMatch(/\d\d:\d\d:\d\d\.\d{3}\S* .*INFO.*hello/);
    expect(output).not.toContain('hunter2');
  });
});

describe('the log of a process whose stderr is a pipe', () => {
  const unread = fileURLToPath(new URL('./unread-log-process.ts', import.meta.url));
  let folder: string;
  /** A descriptor for both ends of the pipe, so that the test decides what to read and when. */
  let pipe: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-'));
    execFileSync('mkfifo', [join(folder, 'stderr')]);
    pipe = openSync(join(folder, 'stderr'), constants.O_RDWR | constants.O_NONBLOCK);
  });
  afterEach(() => {
    closeSync(pipe);
    rmSync(folder, { recursive: true });
  });

  /** Starts a process that logs `lines` lines; resolves when it has done so. */
  const logLines = async (lines: number) => {
    const child = spawn(process.execPath, ['--import', loader, unread, String(lines)], {
      stdio: ['pipe', 'pipe', pipe],
    });
    const exited = once(child, 'exit') as Promise<[code: number]>;
    const [report] = (await once(child.stdout!, 'data')) as [Buffer];
    const { dropped } = JSON.parse(report.toString()) as { dropped: number };
    return { child, exited, dropped };
  };

  /** Reads the present content of the pipe. */
  const readPipe = (): string => {
    const buffer = Buffer.alloc(1_048_576);
    try {
      return buffer.toString('utf8', 0, readSync(pipe, buffer));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return '';
      throw error;
    }
  };

  it('never blocks it: lines wait in memory, then are dropped and counted, and the count is logged', async () => {
    const { child, exited, dropped } = await logLines(10_000);
    expect(dropped).toBeGreaterThan(0);
    let text = '';
    await until('the count is logged', () => Promise.resolve((text += readPipe()).includes('dropped log lines')));
    const lines = text.trim().split('\n');
    const written = lines.filter((line) => line.includes('"msg":"line"'));
    expect(written).toHaveLength(10_000 - dropped);
    expect(written.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(written.map((_, n) => n));
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ level: 'warn', lines: dropped });
    child.stdin!.end();
    expect((await exited)[0]).toBe(3);
    expect(readPipe()).toContain('"msg":"last"');
  });

  it('does not keep it from ending while nothing reads the pipe', async () => {
    const { child, exited } = await logLines(10_000);
    child.stdin!.end();
    expect((await exited)[0]).toBe(3);
  });

  it('is complete at exit if the pipe is read', async () => {
    const { child, exited, dropped } = await logLines(100);
    child.stdin!.end();
    await exited;
    expect(dropped).toBe(0);
    expect(readPipe().trim().split('\n')).toHaveLength(101);
  });
});
