import type { Define } from '../define.js';
import { WrongUsage } from '../failures.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Column } from '../output.js';

const COLUMNS: readonly Column[] = [
  'name',
  'state',
  'position',
  ['LAG', 'lag_events'],
  'skipped',
  ['ERROR', 'error.message'],
];

/** Adds `sagas`, with a subcommand that skips an event that a saga cannot handle. */
export const addSagas = (define: Define): void => {
  const defineInSagas = define({
    usage: 'sagas [name]',
    summary: SUMMARIES.sagas,
    example: 'crosspost sagas',
    handler: async ({ api, out, args: [name] }) => {
      if (name === undefined) return out.list(api.list('/sagas', {}, Infinity), COLUMNS);
      out.answer(await api.get('/sagas/{name}', { path: { name } }));
    },
  });
  defineInSagas({
    usage: 'skip <name>',
    summary: SUMMARIES.skipSagaEvent,
    example: 'crosspost sagas skip $SAGA --position $POSITION --reason "written by hand"',
    options: {
      '--position <position>': OPTIONS.position,
      '--reason <text>': OPTIONS.reason,
    },
    handler: async ({ api, out, args: [name = ''], options: { position, reason } }) => {
      if (typeof reason !== 'string') throw new WrongUsage(CLI_MESSAGES.noReason);
      const body = { position: position as string | undefined, reason };
      out.answer(await api.post('/sagas/{name}/skip', { path: { name }, body }));
    },
  });
};
