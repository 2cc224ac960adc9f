import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const TICK_S = 0.01; // USER_HZ is 100 on every Linux

/**
 * Runs a test file. With TEST_TIMES, the path of a file, adds a line to it: seconds of wall-clock time, seconds of
 * processor time of this worker, of the processes that it has started, and of the PostgreSQL that its files share, and
 * the test file.
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
    const used = ['own', 'children', 'postgres'].map((of) => after[of] - before[of]);
    const figures = [wall, ...used].map((s) => s.toFixed(2));
    appendFileSync(output, `${[...figures, path.relative(process.cwd(), testPath)].join('\t')}\n`);
  }
};

/**
 * Returns the processor time of this process, of all that it has started, ended ones included, and of its PostgreSQL.
 */
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
  const servers = process.env.TEST_POSTGRES_PIDS?.split(' ') ?? [];
  const server = Number(servers[(Number(process.env.JEST_WORKER_ID) - 1) % servers.length] ?? 0);
  const of = (pid) => processes.get(pid) ?? { own: 0, ended: 0 };
  /**
   * Returns the time of a process's descendants. Excludes PostgreSQL, a descendant if Jest runs in a single process.
   */
  const below = (pid) => {
    const descendants = [pid];
    for (const one of descendants)
      for (const [child, { parent }] of processes) if (parent === one && child !== server) descendants.push(child);
    return descendants.slice(1).reduce((sum, one) => sum + of(one).own + of(one).ended, of(pid).ended);
  };
  return {
    own: of(process.pid).own * TICK_S,
    children: below(process.pid) * TICK_S,
    postgres: server && (of(server).own + below(server)) * TICK_S,
  };
};
