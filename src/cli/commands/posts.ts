import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import type { Api } from '../api.js';
import { define } from '../define.js';
import { Failure, WrongUsage } from '../failures.js';
import { type Thing, thingsIn } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Column } from '../output.js';
import { publicationsOf, tellPublication, TROUBLED } from '../publications.js';
import { camelCase, limitOf } from '../values.js';

const COLUMNS: readonly Column[] = [
  ['ID', 'id'],
  ['ACCEPTED AT', 'accepted_at'],
  ['STATES', 'states'],
  ['EXTERNAL ID', 'external_id'],
];
const FILTERS = ['endpoint_id', 'channel_id', 'project_id', 'state', 'external_id', 'trace_id', 'since', 'until'];

/** Adds `posts`, `post`, `why`, `resend`, `dismiss` and `cancel`. */
export const addPosts = (program: Command, settings: CommandLineSettings): void => {
  define(program, settings, {
    usage: 'posts',
    summary: SUMMARIES.posts,
    example: 'crosspost posts --state queued --limit 20',
    options: [
      ...FILTERS.map((field) => [`--${field.replaceAll('_', '-')} <text>`, OPTIONS.field({ field })] as const),
      ['--limit <n>', OPTIONS.limit],
    ],
    handler: ({ api, out, options }) => {
      const query = Object.fromEntries(
        FILTERS.map((field) => [field, options[camelCase(field)] as string | undefined]),
      );
      const posts = api.list('/posts', query, limitOf(options));
      return out.list(out.isJson ? posts : withStates(posts), COLUMNS);
    },
  });
  define(program, settings, {
    usage: 'post <id>',
    summary: SUMMARIES.post,
    example: 'crosspost post $POST',
    handler: async ({ api, out, args }) => {
      const { text, thing } = await api.manage('GET', pathOf(args[0] ?? ''));
      out.answer(text, thing);
    },
  });
  define(program, settings, {
    usage: 'why <id>',
    summary: SUMMARIES.why,
    example: 'crosspost why $POST',
    handler: async ({ api, out, args }) => {
      const { thing } = await api.manage('GET', pathOf(args[0] ?? ''));
      for (const publication of publicationsOf(thing)) {
        if (out.isJson) out.line(JSON.stringify({ id: publication.id, ...reasonsOf(publication) }));
        else out.line(tellPublication(publication));
      }
    },
  });
  for (const action of ['resend', 'dismiss'] as const)
    define(program, settings, {
      usage: `${action} <id>`,
      summary: SUMMARIES[action],
      example: `crosspost ${action} $PUBLICATION`,
      handler: async ({ api, out, args }) => {
        for (const id of await findTroubled(api, args[0] ?? '')) {
          const { text, thing } = await api.manage('POST', `${pathOf(id)}/${action}`);
          out.answer(text, thing);
        }
      },
    });
  define(program, settings, {
    usage: 'cancel <id>',
    summary: SUMMARIES.cancel,
    example: 'crosspost cancel $POST',
    handler: async ({ api, out, args }) => {
      const { text, thing } = await api.manage('POST', `${pathOf(args[0] ?? '')}/cancel`);
      out.answer(text, thing);
    },
  });
};

/** Members of the answer to `why`, as the API names them. */
const reasonsOf = ({ state, waiting_for, attempts, warnings, urls, message_ids }: Thing): Thing => ({
  state,
  waiting_for,
  error: publicationError(attempts),
  warnings,
  urls,
  message_ids,
});

const publicationError = (attempts: unknown): unknown => thingsIn(attempts).at(-1)?.error ?? null;

/** Returns the path of a post or publication. @throws WrongUsage */
const pathOf = (id: string): string => {
  if (id.startsWith('post_')) return `/posts/${encodeURIComponent(id)}`;
  if (id.startsWith('pub_')) return `/publications/${encodeURIComponent(id)}`;
  throw new WrongUsage(CLI_MESSAGES.noPost({ id }));
};

/** Returns the publications that an id means: one, or those of a post that failed or are in doubt. @throws Failure */
const findTroubled = async (api: Api, id: string): Promise<readonly string[]> => {
  if (!id.startsWith('post_')) return [id];
  const { thing } = await api.manage('GET', pathOf(id));
  const found = publicationsOf(thing).filter(({ state }) => TROUBLED.has(String(state)));
  if (found.length === 0) throw new Failure('nothing_to_decide', CLI_MESSAGES.nothingToDecide({ id }));
  return found.map((publication) => String(publication.id));
};

/** Adds the states of the publications, with their numbers, to posts of a list. */
async function* withStates(posts: AsyncIterable<Thing>): AsyncGenerator<Thing> {
  for await (const post of posts) {
    const counts = new Map<string, number>();
    for (const { state } of publicationsOf(post)) counts.set(String(state), (counts.get(String(state)) ?? 0) + 1);
    yield { ...post, states: [...counts].map(([state, count]) => (count === 1 ? state : `${count} ${state}`)) };
  }
}
