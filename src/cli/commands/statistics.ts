import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type Define, fieldOptions, limitOf, queryOf } from '../define.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import { type Column, type Thing, WrongUsage } from '../output.js';
import { openTarget } from './transfer.js';

const FILTERS = ['owner_id', 'project_id', 'channel_id', 'since', 'until'] as const;
const NUMBERS: readonly Column[] = ['views', 'reactions', 'comments', 'shares'];
const PUBLICATION_COLUMNS: readonly Column[] = [
  'id',
  'platform',
  ['state', 'statistics.state'],
  ['as_of', 'statistics.as_of'],
  ...NUMBERS.map((name): Column => [String(name), `statistics.${String(name)}`]),
  ['text', 'statistics.text'],
];
const TOP_COLUMNS: readonly Column[] = [
  'post_id',
  'published_at',
  ...NUMBERS.map((name): Column => [String(name), `totals.${String(name)}`]),
  'excerpt',
];

/** Adds `stats` and `top`. */
export const addStatistics = (define: Define): void => {
  define({
    usage: 'stats [id]',
    summary: SUMMARIES.stats,
    example: 'crosspost stats $POST',
    options: {
      '--now': OPTIONS.statsNow,
      '--bucket <hour|day>': OPTIONS.bucket,
      '--csv': OPTIONS.csv,
      '--out <file>': OPTIONS.csvOut,
      ...fieldOptions(FILTERS, 'text'),
    },
    handler: async ({ api, out, args: [id], options }) => {
      const query = queryOf<'/statistics.csv'>(FILTERS, options);
      if (options.csv) {
        if (id !== undefined) throw new WrongUsage(CLI_MESSAGES.statsIdOrCsv);
        const answer = await api.open('/statistics.csv', { query });
        const target = options.out === undefined ? null : await openTarget(String(options.out), 'w');
        for await (const part of Readable.fromWeb(answer.body as ReadableStream<Uint8Array>)) {
          if (!target) out.raw(part as Uint8Array);
          else if (!target.write(part)) await once(target, 'drain');
        }
        if (target) await new Promise((resolve) => target.end(resolve));
        return;
      }
      if (id?.startsWith('tgt_')) {
        const { since, until } = query;
        const bucket = options.bucket as 'hour' | 'day' | undefined;
        const answer = await api.get('/channels/{id}/statistics', { path: { id }, query: { since, until, bucket } });
        if (out.isJson) return out.answer(answer);
        return out.list(answer.buckets as readonly Thing[], ['at', 'published', ...NUMBERS]);
      }
      if (id?.startsWith('post_') !== true) throw new WrongUsage(CLI_MESSAGES.notCounted({ id: id ?? '' }));
      const answer = options.now
        ? await api.post('/posts/{id}/statistics', { path: { id } })
        : await api.get('/posts/{id}/statistics', { path: { id } });
      if (out.isJson) return out.answer(answer);
      return out.list(answer.publications as readonly Thing[], PUBLICATION_COLUMNS);
    },
  });
  define({
    usage: 'top',
    summary: SUMMARIES.top,
    example: 'crosspost top --by reactions --limit 5',
    options: { '--by <number>': OPTIONS.topBy, '--limit <n>': OPTIONS.topLimit, ...fieldOptions(FILTERS, 'text') },
    handler: async ({ api, out, options }) => {
      const by = options.by as 'views' | undefined;
      const limit = options.limit === undefined ? undefined : limitOf(options);
      const query = { ...queryOf<'/statistics/top'>(FILTERS, options), by, limit };
      const { items } = await api.get('/statistics/top', { query });
      await out.list(items as readonly Thing[], TOP_COLUMNS);
    },
  });
};
