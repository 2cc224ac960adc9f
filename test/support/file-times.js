import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const TICK_S = 0.01; // USER_HZ is 100 on every Linux

/**
 * Runs a test file. With TEST_TIMES, the path of a file, adds a line to it: seconds of wall-clock time, seconds of processor
 * time of this worker and of the processes that it has started, and the test file. `node scripts/test-times.js` shows them.
 */
export const timeFile = async (testPath, run) => {
  const output = process.env.TEST_TIMES;
  if (!output) return run();
  const [startedAt, before] = [performance.now(), readProcessorTime()];
  try {
    return await run();
  } finally {
    const after = readProcessorTime();
    const wall = (performance.now() - startedAt) / 1000;
    const figures = [wall, after.own - before.own, after.children - before.children].map((s) => s.toFixed(2));
    appendFileSync(output, `${[...figures, path.relative(process.cwd(), testPath)].join('\t')}\n`);
  }
};

/** Returns the processor time of this process, and of all that it has started, which includes those that have ended. */
const readProcessorTime = () => {
  const processes = new Map();
  for (const entry of readdirSync('/proc'))
    if (/^\d+$/.test(entry)) {
      try {
        const text = readFileSync(`/proc/${entry}/stat`, 'utf8');
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((i) => Number(fields[i]));
        processes.set(Number(entry), { parent, own: user + system, ended: endedUser + endedSystem });
      } catch {
        // ended after it was listed
      }
    }
  const descendants = [process.pid];
  for (const pid of descendants)
    for (const [child, { parent }] of processes) if (parent === pid) descendants.push(child);
  const of = (pid) => processes.get(pid) ?? { own: 0, ended: 0 };
  const children = descendants.slice(1).reduce((sum, pid) => sum + of(pid).own + of(pid).ended, of(process.pid).ended);
  return { own: of(process.pid).own * TICK_S, children: children * TICK_S };
};
