import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import { readInput } from '../body.js';
import { define } from '../define.js';
import { Failure } from '../failures.js';
import { waitForJob } from '../jobs.js';
import { textOf, thingsIn, valueAt } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';

/** Adds what proves the history to auditors: `verify`, `checkpoint` and `proof`. */
export const addTransparencyLog = (history: Command, settings: CommandLineSettings): void => {
  define(history, settings, {
    usage: 'verify',
    summary: SUMMARIES.verifyHistory,
    example: 'crosspost history checkpoint | crosspost history verify --checkpoint -',
    options: [
      ['--checkpoint <file>', OPTIONS.checkpoint],
      ['--no-wait', OPTIONS.noWait],
    ],
    handler: async ({ api, out, options }) => {
      const checkpoint = typeof options.checkpoint === 'string' ? await readInput(options.checkpoint) : undefined;
      const started = await api.manage('POST', '/history/verify', { body: { checkpoint } });
      const job = options.wait === false ? started : await waitForJob(api, out, textOf(started.thing.id));
      out.answer(job.text, job.thing);
      const broken = thingsIn(valueAt(job.thing, 'result.broken')).length;
      if (broken > 0) throw new Failure('broken', CLI_MESSAGES.brokenHistory({ count: broken }));
      if (valueAt(job.thing, 'result.checkpoint') === 'ended') out.note(CLI_MESSAGES.endedLog);
      if (valueAt(job.thing, 'result.checkpoint') === 'inconsistent')
        throw new Failure('inconsistent', CLI_MESSAGES.inconsistent);
    },
  });
  define(history, settings, {
    usage: 'checkpoint',
    summary: SUMMARIES.checkpoint,
    example: 'crosspost history checkpoint > checkpoint.txt',
    handler: async ({ api, out }) => out.raw((await api.manage('GET', '/history/log/checkpoint')).text),
  });
  define(history, settings, {
    usage: 'proof <event>',
    summary: SUMMARIES.proof,
    example: 'crosspost history proof $EVENT',
    handler: async ({ api, out, args: [event] }) =>
      out.raw((await api.manage('GET', `/history/log/proof/${encodeURIComponent(event ?? '')}`)).text),
  });
};
