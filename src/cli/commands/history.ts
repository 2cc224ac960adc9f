import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, finishJob } from '../api.js';
import { type Define, fieldOptions, limitOf, type Options, queryOf } from '../define.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import {
  type Column,
  Failure,
  type Output,
  readInput,
  textOf,
  type Thing,
  thingsIn,
  valueAt,
  WrongUsage,
} from '../output.js';
import { tellChange } from '../publications.js';
import { addTransfer } from './transfer.js';

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

const EVENT_COLUMNS: readonly Column[] = ['at', 'type', 'actor', ['OF', 'aggregate_id'], 'id'];
const TRACE_COLUMNS: readonly Column[] = ['at', 'type', 'what', 'actor', ['OF', 'aggregate_id'], 'id'];
const CHANGE_COLUMNS: readonly Column[] = ['at', 'path', 'before', 'after', 'actor'];
const FILTERS = ['aggregate', 'id', 'actor', 'type', 'since', 'until'] as const;

/** Adds `history` with its subcommands. */
export const addHistory = (define: Define): void => {
  const defineInHistory = define({
    usage: 'history <aggregate> <id>',
    summary: SUMMARIES.history,
    example: 'crosspost history endpoint $ENDPOINT',
    options: {
      '--at <time>': OPTIONS.at,
      '--diff <from..to>': OPTIONS.diff,
    },
    handler: async ({ api, out, args, options }) => {
      const [aggregate = '', id = ''] = args;
      const path = { aggregate, id };
      if (typeof options.diff !== 'string') {
        const at = options.at as string | undefined;
        out.answer(await api.get('/history/{aggregate}/{id}', { path, query: { at } }));
        return;
      }
      const [from, to, ...rest] = options.diff.split('..');
      if (!from || !to || rest.length > 0) throw new WrongUsage(CLI_MESSAGES.wrongRange({ text: options.diff }));
      const diff = await api.get('/history/{aggregate}/{id}/diff', { path, query: { from, to } });
      if (out.isJson) out.answer(diff);
      else await out.list(diff.changes, CHANGE_COLUMNS);
    },
  });
  defineInHistory({
    usage: 'events',
    summary: SUMMARIES.events,
    example: 'crosspost history events --aggregate endpoint --limit 20',
    options: { ...fieldOptions(['owner_id'], 'id'), ...fieldOptions(FILTERS, 'text'), '--limit <n>': OPTIONS.limit },
    handler: async ({ api, out, options }) => {
      const query = queryOf<'/history/events'>(['owner_id', ...FILTERS], options);
      await out.list(api.list('/history/events', { query }, limitOf(options)), EVENT_COLUMNS);
    },
  });
  defineInHistory({
    usage: 'trace <id>',
    summary: SUMMARIES.trace,
    example: 'crosspost history trace $POST',
    handler: async ({ api, out, args }) => {
      const trace = await api.get('/history/trace/{id}', { path: { id: args[0] ?? '' } });
      if (out.isJson) out.answer(trace);
      else
        await out.list(
          trace.events.map((event) => ({ ...event, what: tellChange(event) })),
          TRACE_COLUMNS,
        );
    },
  });
  addTransparencyLog(defineInHistory);
  addTransfer(defineInHistory);
};

const POLL_MS = 1_000;
/** Number of endpoints, newest first, whose requests are shown without `--endpoint`. */
const MOST_ENDPOINTS = 50;
/** Number of request log entries to read per poll and endpoint; the log keeps no more than that. */
const LOOK_BACK = 100;

/** Adds `tail`. */
export const addTail = (define: Define): void => {
  define({
    usage: 'tail',
    summary: SUMMARIES.tail,
    example: 'crosspost tail --endpoint $ENDPOINT --limit 20',
    options: {
      '--endpoint <id>': OPTIONS.tailEndpoint,
      '--follow': OPTIONS.follow,
      '--limit <n>': OPTIONS.tailLimit,
    },
    handler: async ({ api, out, options }) => {
      const endpoints = await findEndpoints(api, out, options);
      const known = await readRequests(api, endpoints);
      for (const entry of known.slice(-limitOf(options))) print(out, entry);
      let shown = new Set(known.map(({ id }) => id));
      while (options.follow) {
        await sleep(POLL_MS);
        const entries = await readRequests(api, endpoints);
        for (const entry of entries) if (!shown.has(entry.id)) print(out, entry);
        shown = new Set([...shown, ...entries.map(({ id }) => id)].slice(-MOST_ENDPOINTS * LOOK_BACK * 2));
      }
    },
  });
};

const findEndpoints = async (api: Api, out: Output, { endpoint }: Options): Promise<readonly string[]> => {
  if (typeof endpoint === 'string' && endpoint.startsWith('ep_')) return [endpoint];
  if (endpoint === undefined) {
    const found: string[] = [];
    for await (const { id } of api.list('/endpoints', {}, MOST_ENDPOINTS)) found.push(id);
    if (found.length === MOST_ENDPOINTS) out.note(CLI_MESSAGES.newestEndpoints({ count: MOST_ENDPOINTS }));
    return found;
  }
  for await (const { id, slug, url } of api.list('/endpoints', {}, Number.MAX_SAFE_INTEGER))
    if (slug === endpoint || url === endpoint) return [id];
  return [textOf(endpoint)]; // the gateway reports that it does not exist
};

/** Reads the requests of endpoints, oldest first. */
const readRequests = async (api: Api, endpoints: readonly string[]): Promise<readonly Thing[]> => {
  const entries: Thing[] = [];
  for (const endpoint_id of endpoints) {
    const path = { id: endpoint_id };
    for await (const entry of api.list('/endpoints/{id}/requests', { path }, LOOK_BACK))
      entries.push({ endpoint_id, ...entry });
  }
  return entries.sort((a, b) => (textOf(a.at) < textOf(b.at) ? -1 : 1));
};

const print = (out: Output, entry: Thing): void => {
  if (out.isJson) return out.line(JSON.stringify(entry));
  const { at, endpoint_id, http_status, decision, reason, latency_ms, post_id, ip } = entry;
  const parts = [at, endpoint_id, http_status, decision, reason, `${textOf(latency_ms)} ms`, ip, post_id].map(textOf);
  out.states(parts.filter((part) => part !== ''));
};
