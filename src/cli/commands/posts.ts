import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { JsonText, type Schemas } from '../../../clients/typescript/src/index.js';
import type { Api } from '../api.js';
import { type Call, type Define, fieldOptions, limitOf, queryOf, requireOption, wholeNumber } from '../define.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import {
  clean,
  type Column,
  failToRead,
  Failure,
  readInput,
  type Thing,
  thingsIn,
  valueAt,
  WrongUsage,
} from '../output.js';
import { publicationsOf, statesOf, tellPublication, TROUBLED, waitForPublications } from '../publications.js';

const COLUMNS: readonly Column[] = ['id', 'accepted_at', 'states', 'external_id'];
const PLANNED_COLUMNS: readonly Column[] = ['id', 'publish_at', 'waits_for', 'states', 'external_id'];
const FILTERS = [
  'endpoint_id',
  'channel_id',
  'project_id',
  'state',
  'external_id',
  'trace_id',
  'since',
  'until',
] as const;

/** Adds `posts`, `post`, `why`, `resend`, `dismiss`, `dismiss-duplicate` and `cancel`. */
export const addPosts = (define: Define): void => {
  define({
    usage: 'posts',
    summary: SUMMARIES.posts,
    example: 'crosspost posts --state queued --limit 20',
    options: { ...fieldOptions(FILTERS, 'text'), '--planned': OPTIONS.planned, '--limit <n>': OPTIONS.limit },
    handler: async ({ api, out, options }) => {
      const { planned = false, state } = options;
      if (planned && state !== undefined) throw new WrongUsage(CLI_MESSAGES.plannedOrState);
      const calendar = planned ? ({ state: 'planned', order: 'publish_at' } as const) : {};
      const query = { ...queryOf<'/posts'>(FILTERS, options), ...calendar };
      const posts = api.list('/posts', { query }, limitOf(options));
      await out.list(out.isJson ? posts : withStates(posts), planned ? PLANNED_COLUMNS : COLUMNS);
    },
  });
  define({
    usage: 'post <id>',
    summary: SUMMARIES.post,
    example: 'crosspost post $POST',
    handler: async ({ api, out, args: [id = ''] }) => out.answer(await find(api, id)),
  });
  define({
    usage: 'why <id>',
    summary: SUMMARIES.why,
    example: 'crosspost why $POST',
    handler: async ({ api, out, args: [id = ''] }) => {
      for (const publication of publicationsOf(await find(api, id))) {
        if (out.isJson) out.line(JSON.stringify({ id: publication.id, ...reasonsOf(publication) }));
        else out.line(tellPublication(publication));
      }
    },
  });
  for (const action of ['resend', 'dismiss'] as const)
    define({
      usage: `${action} <id>`,
      summary: SUMMARIES[action],
      example: `crosspost ${action} $PUBLICATION`,
      handler: async ({ api, out, args: [given = ''] }) => {
        for (const id of await findTroubled(api, given))
          out.answer(await api.post(`/publications/{id}/${action}`, { path: { id } }));
      },
    });
  define({
    usage: 'dismiss-duplicate <id>',
    summary: SUMMARIES.dismissDuplicate,
    example: 'crosspost dismiss-duplicate $PUBLICATION',
    handler: async ({ api, out, args: [id = ''] }) =>
      out.answer(await api.post('/publications/{id}/dismiss-duplicate', { path: { id } })),
  });
  define({
    usage: 'cancel <id>',
    summary: SUMMARIES.cancel,
    example: 'crosspost cancel $POST',
    handler: async ({ api, out, args: [id = ''] }) =>
      out.answer(await api.post(`${resourceOf(id)}/{id}/cancel`, { path: { id } })),
  });
};

/** Adds `withdraw`. */
export const addWithdraw = (define: Define): void => {
  define({
    usage: 'withdraw <id>',
    summary: SUMMARIES.withdraw,
    example: "crosspost withdraw $POST --reason 'The price is wrong' --wait",
    options: {
      '--target <id...>': OPTIONS.withdrawTarget,
      '--reason <text>': OPTIONS.withdrawReason,
      '--wait': OPTIONS.withdrawWait,
    },
    handler: async ({ api, out, args: [id = ''], options }) => {
      const { target, wait, reason: given } = options;
      const targets = (target as readonly string[]).length > 0 ? (target as readonly string[]) : undefined;
      const reason = given as string | undefined;
      const path = { id };
      const isPost = resourceOf(id) === '/posts';
      if (!isPost && targets) throw new WrongUsage(CLI_MESSAGES.targetsOfPublication);
      const answer = await (isPost
        ? api.post('/posts/{id}/withdraw', { path, body: { targets, reason } })
        : api.post('/publications/{id}/withdraw', { path, body: { reason } }));
      if (!wait) return out.answer(answer);
      const publications = await waitForPublications(out, () => find(api, id), isBeingTakenBack);
      const left = publications.filter(({ state }) => state === 'withdraw_failed').length;
      if (left > 0) throw new Failure('not_withdrawn', CLI_MESSAGES.notWithdrawn({ count: left, id }));
    },
  });
};

/** True while messages of a publication are to be deleted, or may still appear. */
const isBeingTakenBack = ({ withdrawal }: Thing): boolean => valueAt(withdrawal, 'ended_at') === null;

/** Picks the members that `why` prints as JSON. */
const reasonsOf = ({ state, attempts, ...publication }: Thing): Thing => ({
  state,
  waiting_for: publication.waiting_for,
  error: thingsIn(attempts).at(-1)?.error ?? null,
  warnings: publication.warnings,
  urls: publication.urls,
  message_ids: publication.message_ids,
  content_version: publication.content_version,
  edit: publication.edit,
  withdrawal: publication.withdrawal,
});

/** Reads a post or publication. @throws WrongUsage @throws Failure */
const find = (api: Api, id: string): Promise<Schemas['PostWithPayload'] | Schemas['Publication']> =>
  api.get(`${resourceOf(id)}/{id}`, { path: { id } });

/** Returns the resource that an id belongs to. @throws WrongUsage */
const resourceOf = (id: string): '/posts' | '/publications' => {
  if (id.startsWith('post_')) return '/posts';
  if (id.startsWith('pub_')) return '/publications';
  throw new WrongUsage(CLI_MESSAGES.noPost({ id }));
};

/**
 * Returns the id of a publication itself, or the ids of a post's publications that failed or are in doubt.
 * @throws WrongUsage @throws Failure
 */
const findTroubled = async (api: Api, id: string): Promise<readonly string[]> => {
  if (resourceOf(id) === '/publications') return [id];
  const found = publicationsOf(await find(api, id)).filter(({ state }) => TROUBLED.has(String(state)));
  if (found.length === 0) throw new Failure('nothing_to_decide', CLI_MESSAGES.nothingToDecide({ id }));
  return found.map((publication) => String(publication.id));
};

/** Adds to each post the states of its publications, with counts, and what the first publication waits for. */
async function* withStates(posts: AsyncIterable<Thing>): AsyncGenerator<Thing> {
  for await (const post of posts) {
    yield { ...post, states: statesOf(post), waits_for: valueAt(publicationsOf(post)[0], 'waiting_for.rule') };
  }
}

/** Adds `reschedule`, `edit`, `approve` and `reject`. */
export const addPlannedPosts = (define: Define): void => {
  define({
    usage: 'reschedule <post>',
    summary: SUMMARIES.reschedule,
    example: 'crosspost reschedule $POST --at now',
    options: { '--at <time>': OPTIONS.newTime },
    handler: async (call) => {
      const at = requireOption(call, 'at', CLI_MESSAGES.noTime);
      const body = { publish_at: at === 'now' ? null : at };
      call.out.answer(await call.api.patch('/posts/{id}', { path: requirePost(call), body }));
    },
  });
  define({
    usage: 'edit <post>',
    summary: SUMMARIES.edit,
    example: 'crosspost edit $POST --file post.json --dry-run',
    options: {
      '--file <path>': OPTIONS.post,
      '--text <text>': OPTIONS.newText,
      '--if-revision <n>': OPTIONS.ifRevision,
      '--dry-run': OPTIONS.dryRun,
    },
    handler: async (call) => call.out.answer(await edit(call)),
  });
  define({
    usage: 'approve <post>',
    summary: SUMMARIES.approve,
    example: "crosspost approve $POST --revision 1 --note 'Checked the figures'",
    options: { '--revision <n>': OPTIONS.approvedRevision, '--note <text>': OPTIONS.note },
    handler: async (call) => {
      const path = requirePost(call);
      const body = { note: call.options.note as string | undefined, revision: await findRevision(call, path) };
      call.out.answer(await call.api.post('/posts/{id}/approve', { path, body }));
    },
  });
  define({
    usage: 'reject <post>',
    summary: SUMMARIES.reject,
    example: "crosspost reject $POST --reason 'The price is wrong'",
    options: { '--reason <text>': OPTIONS.rejection },
    handler: async (call) => {
      const reason = requireOption(call, 'reason', CLI_MESSAGES.noRejection);
      call.out.answer(await call.api.post('/posts/{id}/reject', { path: requirePost(call), body: { reason } }));
    },
  });
};

/** Gives a post new content; a file replaces the whole payload of a planned post. @throws WrongUsage @throws Failure */
const edit = async (call: Call): Promise<Schemas['EditedPost'] | Schemas['ChangedPost']> => {
  const { api, options } = call;
  const { text, file, dryRun, ifRevision: revision } = options;
  const path = requirePost(call);
  if ((text === undefined) === (file === undefined)) throw new WrongUsage(CLI_MESSAGES.contentOrFile);
  const ifRevision = revision === undefined ? undefined : wholeNumber('if-revision', String(revision));
  const body = new JsonText(text === undefined ? await readInput(String(file)) : JSON.stringify({ text }));
  const isPayload = text === undefined && !dryRun && (await api.get('/posts/{id}', { path })).released_at === null;
  if (isPayload) return api.put('/posts/{id}/payload', { path, body, ifRevision });
  return api.put('/posts/{id}/content', { path, query: dryRun ? { dry_run: 'true' } : {}, body, ifRevision });
};

/**
 * Returns the revision to approve (D-81): `--revision`, or the current one, whose content is then shown.
 * @throws WrongUsage @throws Failure
 */
const findRevision = async ({ api, out, options }: Call, path: { readonly id: string }): Promise<number> => {
  if (options.revision !== undefined) return wholeNumber('revision', String(options.revision));
  const { revision, payload } = await api.get('/posts/{id}', { path });
  out.note(CLI_MESSAGES.approves({ id: path.id, revision, content: clean(JSON.stringify(payload)) }));
  return revision;
};

/** Returns the id of the post from the command's arguments. @throws WrongUsage */
const requirePost = ({ args: [id = ''] }: Call): { readonly id: string } => {
  if (!id.startsWith('post_')) throw new WrongUsage(CLI_MESSAGES.notAPost({ id }));
  return { id };
};

const MEDIA_FILTERS = ['owner_id', 'type'] as const;
const MEDIA_COLUMNS: readonly Column[] = ['id', 'type', 'bytes', 'expires_at', 'kept_for', 'filename'];

/** Adds `media`. */
export const addMedia = (define: Define): void => {
  const group = define({ usage: 'media', summary: SUMMARIES.media, example: 'crosspost media list' });
  group({
    usage: 'upload <file>',
    summary: SUMMARIES.uploadMedia,
    example: 'crosspost media upload dusk.jpg --owner-id $OWNER',
    options: fieldOptions(['owner_id'], 'text'),
    handler: async ({ api, out, args: [file = ''], options }) => {
      const { blob, filename } = await openFile(file);
      out.answer(await api.uploadMedia(blob, { filename, ownerId: options.ownerId as string | undefined }));
    },
  });
  group({
    usage: 'list',
    summary: SUMMARIES.listMedia,
    example: 'crosspost media list --type photo',
    options: { '--limit <n>': OPTIONS.limit, ...fieldOptions(MEDIA_FILTERS, 'text') },
    handler: ({ api, out, options }) => {
      const query = queryOf<'/media'>(MEDIA_FILTERS, options);
      return out.list(api.list('/media', { query }, limitOf(options)), MEDIA_COLUMNS);
    },
  });
  group({
    usage: 'delete <id>',
    summary: SUMMARIES.deleteMedia,
    example: 'crosspost media delete $FILE',
    handler: async ({ api, out, args: [id = ''] }) => {
      await api.delete('/media/{id}', { path: { id } });
      out.note(CLI_MESSAGES.deleted({ id }));
    },
  });
};

/** Opens a file for an upload, without reading it. @throws WrongUsage */
export const openFile = async (file: string): Promise<{ readonly blob: Blob; readonly filename: string }> => ({
  blob: await openAsBlob(file).catch((error: unknown) => failToRead(file, error)),
  filename: basename(file),
});
