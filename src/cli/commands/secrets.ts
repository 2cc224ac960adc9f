import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import { define } from '../define.js';
import { finishJob } from '../jobs.js';
import { OPTIONS, SUMMARIES } from '../messages.js';

/** Adds `secrets`, with the subcommand that reseals the stored secrets after SECRETS_KEY was replaced. */
export const addSecrets = (program: Command, settings: CommandLineSettings): void => {
  const secrets = define(program, settings, {
    usage: 'secrets',
    summary: SUMMARIES.secrets,
    example: 'crosspost secrets',
    handler: async ({ api, out }) => out.answer(await api.get('/secrets')),
  });
  define(secrets, settings, {
    usage: 'reseal',
    summary: SUMMARIES.resealSecrets,
    example: 'crosspost secrets reseal',
    options: [['--no-wait', OPTIONS.noWait]],
    handler: async (call) => void (await finishJob(call, await call.api.post('/secrets/reseal'))),
  });
};
