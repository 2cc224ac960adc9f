import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import { define } from '../define.js';
import { WrongUsage } from '../failures.js';
import { thingsIn } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Column } from '../output.js';
import { limitOf } from '../values.js';
import { addTransfer } from './transfer.js';
import { addTransparencyLog } from './transparency-log.js';

const EVENT_COLUMNS: readonly Column[] = [
  ['AT', 'at'],
  ['TYPE', 'type'],
  ['ACTOR', 'actor'],
  ['OF', 'aggregate_id'],
  ['ID', 'id'],
];
const CHANGE_COLUMNS: readonly Column[] = [
  ['AT', 'at'],
  ['PATH', 'path'],
  ['BEFORE', 'before'],
  ['AFTER', 'after'],
  ['ACTOR', 'actor'],
];
const FILTERS = ['aggregate', 'id', 'actor', 'type', 'since', 'until'] as const;

/** Adds `history` with what lists, traces and proves it. */
export const addHistory = (program: Command, settings: CommandLineSettings): void => {
  const history = define(program, settings, {
    usage: 'history <aggregate> <id>',
    summary: SUMMARIES.history,
    example: 'crosspost history endpoint $ENDPOINT',
    options: [
      ['--at <time>', OPTIONS.at],
      ['--diff <from..to>', OPTIONS.diff],
    ],
    handler: async ({ api, out, args, options }) => {
      const path = `/history/${args.map((arg) => encodeURIComponent(arg ?? '')).join('/')}`;
      if (typeof options.diff !== 'string') {
        const { text, thing } = await api.manage('GET', path, { query: { at: options.at as string | undefined } });
        out.answer(text, thing);
        return;
      }
      const [from, to, ...rest] = options.diff.split('..');
      if (!from || !to || rest.length > 0) throw new WrongUsage(CLI_MESSAGES.wrongRange({ text: options.diff }));
      const { text, thing } = await api.manage('GET', `${path}/diff`, { query: { from, to } });
      if (out.isJson) out.line(text);
      else await out.list(thingsIn(thing.changes), CHANGE_COLUMNS);
    },
  });
  define(history, settings, {
    usage: 'events',
    summary: SUMMARIES.events,
    example: 'crosspost history events --aggregate endpoint --limit 20',
    options: [
      ['--owner-id <id>', OPTIONS.field({ field: 'owner_id' })],
      ...FILTERS.map((field) => [`--${field} <text>`, OPTIONS.field({ field })] as const),
      ['--limit <n>', OPTIONS.limit],
    ],
    handler: async ({ api, out, options }) => {
      const query = Object.fromEntries(FILTERS.map((field) => [field, options[field] as string | undefined]));
      const owner_id = options.ownerId as string | undefined;
      await out.list(api.list('/history/events', { ...query, owner_id }, limitOf(options)), EVENT_COLUMNS);
    },
  });
  define(history, settings, {
    usage: 'trace <id>',
    summary: SUMMARIES.trace,
    example: 'crosspost history trace $POST',
    handler: async ({ api, out, args }) => {
      const { text, thing } = await api.manage('GET', `/history/trace/${encodeURIComponent(args[0] ?? '')}`);
      if (out.isJson) out.line(text);
      else await out.list(thingsIn(thing.events), EVENT_COLUMNS);
    },
  });
  addTransparencyLog(history, settings);
  addTransfer(history, settings);
};
