import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
        err: expect.objectContaining({
          message: 'broken',
          password: '********',
          stack: expect.stringContaining('broken') as unknown,
        }) as unknown,
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
