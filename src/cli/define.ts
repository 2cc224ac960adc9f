import type { Command } from 'commander';
import type { PathOf, RouteOf } from '../../clients/typescript/src/index.js';
import type { CommandLineSettings } from '../config/command-line.js';
import { type Api, createApi } from './api.js';
import { CLI_MESSAGES, OPTIONS } from './messages.js';
import { Output, WrongUsage } from './output.js';

/** Values of a command's options, by camel-case name. */
export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A command with its arguments. */
export interface Call {
  readonly api: Api;
  readonly out: Output;
  readonly settings: CommandLineSettings;
  /** Operands in order; undefined if omitted. */
  readonly args: readonly (string | undefined)[];
  readonly options: Options;
}

/** Name and help of a command. */
interface Definition {
  /** Name and operands, such as `get <id>`. */
  readonly usage: string;
  readonly summary: string;
  /** A working example, with shell variables for ids. */
  readonly example: string;
  /** Descriptions of the options, by their flags. */
  readonly options?: Readonly<Record<string, string>>;
  /** True if `--url` sets a field of the resource; the gateway's `--url` must then come before the command. */
  readonly ownUrl?: boolean;
  /**
   * Executes the command; absent for a command that only groups others.
   * @throws Failure @throws WrongUsage @throws NotReachable
   */
  readonly handler?: (call: Call) => Promise<void>;
}

/** Adds a subcommand. Returns the function that adds subcommands to it. */
export type Define = (definition: Definition) => Define;

/** Returns the function that adds subcommands to a command, each with an example in its help and the common options. */
export const createDefine =
  (parent: Command, settings: CommandLineSettings): Define =>
  ({ usage, summary, example, options = {}, handler, ownUrl = false }) => {
    const command = parent.command(usage).description(summary);
    for (const [flags, meaning] of Object.entries(options))
      command.option(flags, meaning, ...(flags.endsWith('...>') ? [[] as string[]] : []));
    addCommonOptions(command, ownUrl);
    command.addHelpText('after', `\n${CLI_MESSAGES.example}\n  $ ${example}`);
    if (handler)
      command.action(async () => {
        const common = [...ancestorsOf(parent), ...(ownUrl ? [] : [command])].map((one) => one.opts<Options>());
        const own = command.opts<Options>();
        const { url = settings.url } = Object.assign({}, ...common) as { url?: string };
        const given = Object.assign({}, ...common, own) as { key?: string; json?: boolean };
        const { stdout, stderr } = process;
        const out = new Output({ stdout, stderr, json: given.json ?? false, plain: settings.plain });
        const api = createApi(url, given.key ?? settings.key);
        await handler({ api, out, settings, args: command.processedArgs as string[], options: own });
      });
    return createDefine(command, settings);
  };

export const addCommonOptions = (command: Command, ownUrl = false): Command => {
  if (!ownUrl) command.option('--url <address>', OPTIONS.url);
  return command.option('--key <key>', OPTIONS.key).option('--json', OPTIONS.json);
};

/** Returns a command and its ancestors, root first. */
const ancestorsOf = (command: Command): readonly Command[] =>
  command.parent ? [...ancestorsOf(command.parent), command] : [command];

/** Returns the maximum number of items to list, 50 by default. @throws WrongUsage */
export const limitOf = ({ limit = '50' }: Options): number => wholeNumber('limit', String(limit));

/** Reads a positive whole number. @throws WrongUsage */
export const wholeNumber = (field: string, text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new WrongUsage(CLI_MESSAGES.wrongValue({ field, type: 'number', text }));
  return Number(text);
};

/** Returns the text of an option. @param message what to say if it is missing @throws WrongUsage */
export const requireOption = ({ options }: Pick<Call, 'options'>, name: string, message: string): string => {
  const value = options[name];
  if (typeof value !== 'string') throw new WrongUsage(message);
  return value;
};

/** Query parameters of a route. */
export type QueryOf<P extends PathOf<'GET'>> = RouteOf<'GET', P>['takes'] extends { readonly query?: infer Query }
  ? NonNullable<Query>
  : never;

/** Returns the list filters that the options set. The gateway checks their values. */
export const queryOf = <P extends PathOf<'GET'>>(
  filters: readonly (keyof QueryOf<P> & string)[],
  options: Options,
): QueryOf<P> => Object.fromEntries(filters.map((name) => [name, options[camelCase(name)]])) as QueryOf<P>;

/** Returns the option that sets an API field. @param form placeholder for its value in the help, such as `text` */
export const fieldOption = (field: string, form: string): readonly [flags: string, meaning: string] => [
  `--${field.replaceAll('_', '-')} <${form}>`,
  OPTIONS.field({ field }),
];

/** Returns the options that set API fields. @param form placeholder for their values in the help, such as `text` */
export const fieldOptions = (fields: readonly string[], form: string): Record<string, string> =>
  Object.fromEntries(fields.map((field) => fieldOption(field, form)));

/** Converts the name of a field to commander's name for its option: `owner_id` becomes `ownerId`. */
export const camelCase = (field: string): string =>
  field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
