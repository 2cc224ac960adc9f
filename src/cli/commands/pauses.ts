import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import { define } from '../define.js';
import { WrongUsage } from '../failures.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import { wholeNumber } from '../values.js';

/** Adds `pause` and `resume`. */
export const addPauses = (program: Command, settings: CommandLineSettings): void => {
  define(program, settings, {
    usage: 'pause <id>',
    summary: SUMMARIES.pause,
    example: 'crosspost pause $CHANNEL --minutes 30',
    options: [['--minutes <n>', OPTIONS.minutes]],
    handler: async ({ api, out, args, options }) => {
      const path = pathOf(args[0] ?? '');
      const minutes = wholeNumber('minutes', (options.minutes as string | undefined) ?? '');
      const { text, thing } = await api.manage('POST', `${path}/pause`, { body: { minutes } });
      out.answer(text, thing);
    },
  });
  define(program, settings, {
    usage: 'resume <id>',
    summary: SUMMARIES.resume,
    example: 'crosspost resume $CHANNEL',
    handler: async ({ api, out, args }) => {
      const { text, thing } = await api.manage('POST', `${pathOf(args[0] ?? '')}/resume`);
      out.answer(text, thing);
    },
  });
};

/** Returns the path of a channel or project. @throws WrongUsage */
const pathOf = (id: string): string => {
  if (id.startsWith('tgt_')) return `/channels/${encodeURIComponent(id)}`;
  if (id.startsWith('prj_')) return `/projects/${encodeURIComponent(id)}`;
  throw new WrongUsage(CLI_MESSAGES.noPausable({ id }));
};
