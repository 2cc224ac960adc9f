import type { Answer } from '../../../clients/typescript/src/index.js';
import type { Api } from '../api.js';
import type { Define } from '../define.js';
import { Failure, NotReachable } from '../failures.js';
import { isThing, textOf, type Thing, thingsIn, valueAt } from '../json.js';
import { CLI_MESSAGES, DOCTOR_MESSAGES, SUMMARIES } from '../messages.js';

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
  for (const { name, reason } of degraded) {
    const advice = name.startsWith('saga/') ? DOCTOR_MESSAGES.mendPart : DOCTOR_MESSAGES.mendProjection;
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
