import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import { define } from '../define.js';
import { WrongUsage } from '../failures.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Column } from '../output.js';

const COLUMNS: readonly Column[] = [
  ['NAME', 'name'],
  ['STATE', 'state'],
  ['POSITION', 'position'],
  ['LAG', 'lag_events'],
  ['SKIPPED', 'skipped'],
  ['ERROR', 'error.message'],
];

/** Adds `sagas`, with a subcommand that skips an event that a saga cannot handle. */
export const addSagas = (program: Command, settings: CommandLineSettings): void => {
  const sagas = define(program, settings, {
    usage: 'sagas [name]',
    summary: SUMMARIES.sagas,
    example: 'crosspost sagas',
    handler: async ({ api, out, args: [name] }) => {
      if (name === undefined) return out.list(api.list('/sagas', {}, Infinity), COLUMNS);
      out.answer(await api.get('/sagas/{name}', { path: { name } }));
    },
  });
  define(sagas, settings, {
    usage: 'skip <name>',
    summary: SUMMARIES.skipSagaEvent,
    example: 'crosspost sagas skip $SAGA --position $POSITION --reason "written by hand"',
    options: [
      ['--position <position>', OPTIONS.position],
      ['--reason <text>', OPTIONS.reason],
    ],
    handler: async ({ api, out, args: [name = ''], options: { position, reason } }) => {
      if (typeof reason !== 'string') throw new WrongUsage(CLI_MESSAGES.noReason);
      const body = { position: position as string | undefined, reason };
      out.answer(await api.post('/sagas/{name}/skip', { path: { name }, body }));
    },
  });
};
