import type { Define } from '../define.js';
import { finishJob } from '../jobs.js';
import { OPTIONS, SUMMARIES } from '../messages.js';

/** Adds `secrets`, with the subcommand that reseals the stored secrets after SECRETS_KEY was replaced. */
export const addSecrets = (define: Define): void => {
  const defineInSecrets = define({
    usage: 'secrets',
    summary: SUMMARIES.secrets,
    example: 'crosspost secrets',
    handler: async ({ api, out }) => out.answer(await api.get('/secrets')),
  });
  defineInSecrets({
    usage: 'reseal',
    summary: SUMMARIES.resealSecrets,
    example: 'crosspost secrets reseal',
    options: { '--no-wait': OPTIONS.noWait },
    handler: async (call) => void (await finishJob(call, await call.api.post('/secrets/reseal'))),
  });
};
