import type { Define } from '../define.js';
import { WrongUsage } from '../failures.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import { wholeNumber } from '../values.js';

/** Adds `pause` and `resume`. */
export const addPauses = (define: Define): void => {
  define({
    usage: 'pause <id>',
    summary: SUMMARIES.pause,
    example: 'crosspost pause $CHANNEL --minutes 30',
    options: { '--minutes <n>': OPTIONS.minutes },
    handler: async ({ api, out, args, options }) => {
      const id = args[0] ?? '';
      const resource = resourceOf(id);
      const minutes = wholeNumber('minutes', (options.minutes as string | undefined) ?? '');
      out.answer(await api.post(`${resource}/{id}/pause`, { path: { id }, body: { minutes } }));
    },
  });
  define({
    usage: 'resume <id>',
    summary: SUMMARIES.resume,
    example: 'crosspost resume $CHANNEL',
    handler: async ({ api, out, args }) => {
      const id = args[0] ?? '';
      out.answer(await api.post(`${resourceOf(id)}/{id}/resume`, { path: { id } }));
    },
  });
};

/** Returns the resource that an id belongs to. @throws WrongUsage */
const resourceOf = (id: string): '/channels' | '/projects' => {
  if (id.startsWith('tgt_')) return '/channels';
  if (id.startsWith('prj_')) return '/projects';
  throw new WrongUsage(CLI_MESSAGES.noPausable({ id }));
};
