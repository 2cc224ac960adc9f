import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../api.js';
import { type Define, limitOf, type Options } from '../define.js';
import { textOf, type Thing } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Output } from '../output.js';

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
