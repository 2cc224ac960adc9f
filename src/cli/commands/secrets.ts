import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import { define } from '../define.js';
import { waitForJob } from '../jobs.js';
import { textOf } from '../json.js';
import { OPTIONS, SUMMARIES } from '../messages.js';

/** Adds `secrets`, and how operators replace SECRETS_KEY. */
export const addSecrets = (program: Command, settings: CommandLineSettings): void => {
  const secrets = define(program, settings, {
    usage: 'secrets',
    summary: SUMMARIES.secrets,
    example: 'crosspost secrets',
    handler: async ({ api, out }) => {
      const { text, thing } = await api.manage('GET', '/secrets');
      out.answer(text, thing);
    },
  });
  define(secrets, settings, {
    usage: 'reseal',
    summary: SUMMARIES.resealSecrets,
    example: 'crosspost secrets reseal',
    options: [['--no-wait', OPTIONS.noWait]],
    handler: async ({ api, out, options }) => {
      const started = await api.manage('POST', '/secrets/reseal');
      const job = options.wait === false ? started : await waitForJob(api, out, textOf(started.thing.id));
      out.answer(job.text, job.thing);
    },
  });
};
