#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { readCommandLineSettings } from '../config/command-line.js';
import { NotReachable, WrongUsage } from './output.js';
import { createProgram } from './program.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Executes a command. Returns the exit code. */
const run = async (given: readonly string[]): Promise<number> => {
  const settings = readCommandLineSettings();
  const program = createProgram(settings, version);
  try {
    // Fields may also be written as in the API: --owner_id.
    const args = given.map((arg) => arg.replace(/^--\w+/, (name) => name.replaceAll('_', '-')));
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof WrongUsage) return 2;
    return error instanceof NotReachable ? 3 : 1;
  }
};

process.stdout.on('error', () => process.exit(0)); // the reader of the output has exited
process.exitCode = await run(process.argv.slice(2));
