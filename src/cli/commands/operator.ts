import { type Call, type Define, requireOption } from '../define.js';
import { Failure } from '../failures.js';
import { finishJob } from '../jobs.js';
import { valueAt } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Column } from '../output.js';

const PROJECTION_COLUMNS: readonly Column[] = [
  'name',
  'state',
  'version',
  'position',
  ['LAG', 'lag_events'],
  'rate',
  'skipped',
];

const nameOf = ({ args: [name = ''] }: Call): { readonly name: string } => ({ name });

/** Adds `projections` with the subcommands that rebuild, verify and repair them. */
export const addProjections = (define: Define): void => {
  const defineInProjections = define({
    usage: 'projections [name]',
    summary: SUMMARIES.projections,
    example: 'crosspost projections',
    handler: async ({ api, out, args: [name] }) => {
      if (name === undefined) return out.list(api.list('/projections', {}, Infinity), PROJECTION_COLUMNS);
      out.answer(await api.get('/projections/{name}', { path: { name } }));
    },
  });
  defineInProjections({
    usage: 'rebuild <name>',
    summary: SUMMARIES.rebuildProjection,
    example: 'crosspost projections rebuild posts --promote manual',
    options: {
      '--promote <auto|manual>': OPTIONS.promote,
      '--no-wait': OPTIONS.noWait,
    },
    handler: async (call) => {
      const body = { promote: call.options.promote as 'auto' | 'manual' | undefined };
      await finishJob(call, await call.api.post('/projections/{name}/rebuild', { path: nameOf(call), body }));
    },
  });
  for (const [decision, summary] of [
    ['promote', SUMMARIES.promoteProjection],
    ['rollback', SUMMARIES.rollBackProjection],
    ['discard', SUMMARIES.discardProjection],
  ] as const)
    defineInProjections({
      usage: `${decision} <name>`,
      summary,
      example: `crosspost projections ${decision} posts`,
      handler: async (call) =>
        call.out.answer(await call.api.post(`/projections/{name}/${decision}`, { path: nameOf(call) })),
    });
  defineInProjections({
    usage: 'verify <name>',
    summary: SUMMARIES.verifyProjection,
    example: 'crosspost projections verify posts',
    options: { '--no-wait': OPTIONS.noWait },
    handler: async (call) => {
      const job = await finishJob(call, await call.api.post('/projections/{name}/verify', { path: nameOf(call) }));
      const [missing, extra, different] = ['missing', 'extra', 'different'].map((kind) =>
        Number(valueAt(job, `result.${kind}`) ?? 0),
      ) as [number, number, number];
      if (missing + extra + different > 0)
        throw new Failure('unequal', CLI_MESSAGES.unequal({ missing, extra, different }));
    },
  });
  defineInProjections({
    usage: 'retry <name>',
    summary: SUMMARIES.retryProjection,
    example: 'crosspost projections retry posts',
    handler: async (call) => call.out.answer(await call.api.post('/projections/{name}/retry', { path: nameOf(call) })),
  });
  defineInProjections({
    usage: 'skip <name>',
    summary: SUMMARIES.skipEvent,
    example: 'crosspost projections skip posts --reason "written by hand"',
    options: { '--reason <text>': OPTIONS.reason },
    handler: async (call) => {
      const reason = requireOption(call, 'reason', CLI_MESSAGES.noReason);
      call.out.answer(await call.api.post('/projections/{name}/skip', { path: nameOf(call), body: { reason } }));
    },
  });
};

const SAGA_COLUMNS: readonly Column[] = [
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
      if (name === undefined) return out.list(api.list('/sagas', {}, Infinity), SAGA_COLUMNS);
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
    handler: async (call) => {
      const position = call.options.position as string | undefined;
      const body = { position, reason: requireOption(call, 'reason', CLI_MESSAGES.noReason) };
      call.out.answer(await call.api.post('/sagas/{name}/skip', { path: nameOf(call), body }));
    },
  });
};

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
