import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AppendPlan } from './contract/append-plan.js';

const LOADER = new URL('../support/typescript-loader.js', import.meta.url).href;
const SCRIPT = fileURLToPath(new URL('./append-process.ts', import.meta.url));

/** Executes a plan in another process. @throws Error if the process failed; its stderr holds the reason */
export const appendInOtherProcess = async (
  adapter: 'kurrentdb' | 'postgres',
  connectionString: string,
  plan: AppendPlan,
): Promise<void> => {
  const child = fork(SCRIPT, [adapter, connectionString, JSON.stringify(plan)], { execArgv: ['--import', LOADER] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the appending process exited with code ${code}`);
};
