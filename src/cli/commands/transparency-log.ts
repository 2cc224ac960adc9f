import { readInput } from '../body.js';
import type { Define } from '../define.js';
import { Failure } from '../failures.js';
import { finishJob } from '../jobs.js';
import { thingsIn, valueAt } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';

/** Adds the commands that prove the history to auditors: `verify`, `checkpoint` and `proof`. */
export const addTransparencyLog = (define: Define): void => {
  define({
    usage: 'verify',
    summary: SUMMARIES.verifyHistory,
    example: 'crosspost history checkpoint | crosspost history verify --checkpoint -',
    options: {
      '--checkpoint <file>': OPTIONS.checkpoint,
      '--no-wait': OPTIONS.noWait,
    },
    handler: async (call) => {
      const { api, out, options } = call;
      const checkpoint = typeof options.checkpoint === 'string' ? await readInput(options.checkpoint) : undefined;
      const job = await finishJob(call, await api.post('/history/verify', { body: { checkpoint } }));
      const broken = thingsIn(valueAt(job, 'result.broken')).length;
      if (broken > 0) throw new Failure('broken', CLI_MESSAGES.brokenHistory({ count: broken }));
      if (valueAt(job, 'result.checkpoint') === 'ended') out.note(CLI_MESSAGES.endedLog);
      if (valueAt(job, 'result.checkpoint') === 'inconsistent')
        throw new Failure('inconsistent', CLI_MESSAGES.inconsistent);
    },
  });
  define({
    usage: 'checkpoint',
    summary: SUMMARIES.checkpoint,
    example: 'crosspost history checkpoint > checkpoint.txt',
    handler: async ({ api, out }) => out.raw(await api.get('/history/log/checkpoint')),
  });
  define({
    usage: 'proof <event>',
    summary: SUMMARIES.proof,
    example: 'crosspost history proof $EVENT',
    handler: async ({ api, out, args: [event = ''] }) =>
      out.raw(await api.get('/history/log/proof/{event}', { path: { event } })),
  });
};
