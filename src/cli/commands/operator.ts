import type { Answer } from '../../../clients/typescript/src/index.js';
import { type Api, finishJob } from '../api.js';
import { type Call, type Define, requireOption } from '../define.js';
import { CLI_MESSAGES, DOCTOR_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import { type Column, Failure, isThing, NotReachable, textOf, type Thing, thingsIn, valueAt } from '../output.js';

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

interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** Null if nothing needs to be done. */
  readonly advice: string | null;
}

/** Clients' clocks may be off by up to five minutes; the check fails above half of that. */
const MOST_SKEW_SECONDS = 150;
/** Maximum number of channels, endpoints or posts to name. */
const MOST_NAMED = 20;

const finding =
  (state: Finding['state']) =>
  (check: string, message: string, advice: string | null = null): Finding => ({ check, state, message, advice });
const ok = finding('ok');
const warning = finding('warning');
const failure = finding('failed');

/** Adds `doctor`. */
export const addDoctor = (define: Define, version: string): void => {
  define({
    usage: 'doctor',
    summary: SUMMARIES.doctor,
    example: 'crosspost doctor',
    handler: async ({ api, out }) => {
      let failed = 0;
      for await (const finding of examine(api, version)) {
        if (finding.state === 'failed') failed += 1;
        if (out.isJson) out.line(JSON.stringify(finding));
        else {
          out.states([finding.state.padEnd(7), finding.check.padEnd(10), finding.message]);
          if (finding.advice !== null) out.line(`        → ${finding.advice}`);
        }
      }
      if (failed > 0) throw new Failure('unhealthy', CLI_MESSAGES.unhealthy({ count: failed }));
    },
  });
};

/** Examines a gateway. Stops early if the key is not valid, because the other checks need it. @throws NotReachable */
async function* examine(api: Api, version: string): AsyncGenerator<Finding> {
  const sentAt = Date.now();
  const alive = await api.probe('/healthz');
  const took = Date.now() - sentAt;
  yield ok('reachable', DOCTOR_MESSAGES.reachable({ ms: took }));
  yield judgeClock(alive.headers.get('date'), sentAt, took);
  yield* judgeReadiness(api);
  yield await judgeVersion(api, version);
  const key = await judgeKey(api);
  yield key;
  if (key.state === 'failed') return;
  yield* judgeChannels(api);
  yield* judgeEndpoints(api);
  yield* judgePosts(api);
}

/** Returns the JSON object of a response; an empty object if there is none. */
const parseThing = ({ isJson, text }: Answer): Thing => {
  const value: unknown = isJson ? JSON.parse(text) : null;
  return isThing(value) ? value : {};
};

const judgeClock = (date: string | null, sentAt: number, took: number): Finding => {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return ok('clock', DOCTOR_MESSAGES.noDate);
  // The header is rounded down to whole seconds.
  const seconds = Math.round((sentAt + took / 2 - (theirs + 500)) / 1_000);
  const message = DOCTOR_MESSAGES.clock({ seconds });
  if (Math.abs(seconds) <= MOST_SKEW_SECONDS) return ok('clock', message);
  return failure('clock', message, DOCTOR_MESSAGES.setClock);
};

async function* judgeReadiness(api: Api): AsyncGenerator<Finding> {
  const answer = await api.probe('/readyz', [503]);
  const thing = parseThing(answer);
  const checks = isThing(thing.checks) ? Object.entries(thing.checks) : [];
  const bad = checks.filter(([, outcome]) => outcome !== 'ok');
  for (const [name, outcome] of bad) {
    const message = DOCTOR_MESSAGES.part({ name, reason: textOf(outcome) });
    yield failure('ready', message, DOCTOR_MESSAGES.mendPart({ name }));
  }
  if (answer.status === 503 && bad.length === 0) yield failure('ready', DOCTOR_MESSAGES.notReady, DOCTOR_MESSAGES.wait);
  const degraded = thingsIn(thing.degraded).map((one) => ({ name: textOf(one.name), reason: textOf(one.reason) }));
  const lag = valueAt(thing, 'event_store.lag');
  for (const { name, reason } of degraded) {
    const isReadModel = isThing(lag) && name in lag;
    const advice = isReadModel ? DOCTOR_MESSAGES.mendProjection : DOCTOR_MESSAGES.mendPart;
    yield warning('ready', DOCTOR_MESSAGES.part({ name, reason }), advice({ name }));
  }
  if (answer.status !== 503 && degraded.length === 0) yield ok('ready', DOCTOR_MESSAGES.ready);
}

/** Major version of the API that this command line supports. */
const API_MAJOR = '1';

const judgeVersion = async (api: Api, version: string): Promise<Finding> => {
  const document = parseThing(await api.probe('/openapi.json', [404]));
  const theirs = textOf(valueAt(document, 'info.version'));
  if (theirs === '') return ok('version', DOCTOR_MESSAGES.noVersion({ version }));
  const message = DOCTOR_MESSAGES.version({ version, theirs });
  return theirs.split('.')[0] === API_MAJOR
    ? ok('version', message)
    : warning('version', message, DOCTOR_MESSAGES.otherVersion);
};

const judgeKey = async (api: Api): Promise<Finding> => {
  try {
    await api.get('/owners', { query: { limit: 1 } });
    return ok('key', DOCTOR_MESSAGES.key);
  } catch (error) {
    if (error instanceof NotReachable || !(error instanceof Failure)) throw error;
    return failure('key', DOCTOR_MESSAGES.noKey({ reason: error.message }), DOCTOR_MESSAGES.giveKey);
  }
};

async function* judgeChannels(api: Api): AsyncGenerator<Finding> {
  let count = 0;
  for await (const channel of api.list('/channels', { query: { status: 'needs_attention' } }, MOST_NAMED)) {
    count += 1;
    const { id, name, attention } = channel;
    const message = DOCTOR_MESSAGES.channel({
      id,
      name,
      code: attention?.code ?? '',
      text: attention?.message ?? '',
    });
    yield failure('channels', message, adviceOf(attention) || DOCTOR_MESSAGES.mendChannel({ id }));
  }
  if (count === 0) yield ok('channels', DOCTOR_MESSAGES.channelsFine);
}

const adviceOf = (attention: unknown): string => {
  const actions = isThing(attention) ? attention.actions : null;
  return Array.isArray(actions) ? actions.map((one) => textOf(isThing(one) ? (one.text ?? one) : one)).join(' ') : '';
};

async function* judgeEndpoints(api: Api): AsyncGenerator<Finding> {
  const off: Thing[] = [];
  for await (const endpoint of api.list('/endpoints', {}, 200))
    if (endpoint.disabled_by === 'rate_limits' || endpoint.disabled_by === 'plan') off.push(endpoint);
  for (const { id, name, disabled_by } of off.slice(0, MOST_NAMED)) {
    const message = DOCTOR_MESSAGES.endpoint({ id: textOf(id), name: textOf(name), cause: textOf(disabled_by) });
    yield warning('endpoints', message, DOCTOR_MESSAGES.mendEndpoint({ id: textOf(id) }));
  }
  if (off.length === 0) yield ok('endpoints', DOCTOR_MESSAGES.endpointsFine);
}

async function* judgePosts(api: Api): AsyncGenerator<Finding> {
  let count = 0;
  for await (const { id } of api.list('/posts', { query: { state: 'in_doubt' } }, MOST_NAMED)) {
    count += 1;
    yield warning('posts', DOCTOR_MESSAGES.inDoubt({ id }), DOCTOR_MESSAGES.decide({ id }));
  }
  if (count === 0) yield ok('posts', DOCTOR_MESSAGES.postsFine);
}
