import { type Command } from 'commander';
import type { CommandLineSettings } from '../config/command-line.js';
import { type Api, createApi } from './api.js';
import { CLI_MESSAGES, OPTIONS } from './messages.js';
import { Output } from './output.js';

/** Values of a command's options by name in camel case. */
export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A command with its arguments. */
export interface Call {
  readonly api: Api;
  readonly out: Output;
  readonly settings: CommandLineSettings;
  /** Operands in order; undefined for omitted ones. */
  readonly args: readonly (string | undefined)[];
  readonly options: Options;
}

/** Executes a command. @throws Failure @throws WrongUsage @throws NotReachable */
export type Handler = (call: Call) => Promise<void>;

/** Name and help of a command. */
export interface Definition {
  /** Name and operands, such as `get <id>`. */
  readonly usage: string;
  readonly summary: string;
  /** An example that works, with shell variables for ids. */
  readonly example: string;
  /** Flags and their meanings. */
  readonly options?: readonly (readonly [flags: string, meaning: string])[];
  /** True if `--url` sets a field of the resource; the gateway's `--url` must then come before the command. */
  readonly ownUrl?: boolean;
  /** Absent for a command that only groups others. */
  readonly handler?: Handler;
}

/** Adds a subcommand. Every command has help with an example, and the common options. */
export const define = (parent: Command, settings: CommandLineSettings, definition: Definition): Command => {
  const { usage, summary, example, options = [], handler, ownUrl = false } = definition;
  const command = parent.command(usage).description(summary);
  for (const [flags, meaning] of options)
    command.option(flags, meaning, ...(flags.endsWith('...>') ? [[] as string[]] : []));
  addCommonOptions(command, ownUrl);
  command.addHelpText('after', `\n${CLI_MESSAGES.example}\n  $ ${example}`);
  if (handler)
    command.action(async () => {
      const common = [...ancestorsOf(parent), ...(ownUrl ? [] : [command])].map((one) => one.opts<Options>());
      const own = command.opts<Options>();
      const { url = settings.url } = Object.assign({}, ...common) as { url?: string };
      const { key = settings.key, json = false } = Object.assign({}, ...common, own) as {
        key?: string;
        json?: boolean;
      };
      const { stdout, stderr } = process;
      const out = new Output({ stdout, stderr, json, plain: settings.plain });
      await handler({ api: createApi(url, key), out, settings, args: command.processedArgs as string[], options: own });
    });
  return command;
};

/** Adds the options that every command takes. */
export const addCommonOptions = (command: Command, ownUrl = false): Command => {
  if (!ownUrl) command.option('--url <address>', OPTIONS.url);
  return command.option('--key <key>', OPTIONS.key).option('--json', OPTIONS.json);
};

/** Returns a command with its ancestors, the root first. */
const ancestorsOf = (command: Command): readonly Command[] =>
  command.parent ? [...ancestorsOf(command.parent), command] : [command];
