import type { Define } from '../define.js';
import { OPTIONS, SUMMARIES } from '../messages.js';

/** Adds `recovery`, with a subcommand that settles what is held after a restore (D-80). */
export const addRecovery = (define: Define): void => {
  const defineInRecovery = define({
    usage: 'recovery',
    summary: SUMMARIES.recovery,
    example: 'crosspost recovery',
    options: { '--owner <id>': OPTIONS.recoveryOwner },
    handler: async ({ api, out, options: { owner } }) => {
      out.answer(await api.get('/recovery', { query: { owner_id: owner as string | undefined } }));
    },
  });
  defineInRecovery({
    usage: 'confirm',
    summary: SUMMARIES.confirmRecovery,
    example: 'crosspost recovery confirm --planned keep --in-doubt dismiss',
    options: {
      '--owner <id>': OPTIONS.recoveryOwner,
      '--planned <choice>': OPTIONS.heldPlanned,
      '--in-doubt <choice>': OPTIONS.heldInDoubt,
    },
    handler: async ({ api, out, options: { owner, planned, inDoubt } }) => {
      const body = { owner_id: owner as string | undefined, planned, in_doubt: inDoubt } as object;
      out.answer(await api.post('/recovery/confirm', { body }));
    },
  });
};
