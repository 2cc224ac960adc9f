import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, JsonText, type Schemas } from '../../../clients/typescript/src/index.js';
import { type Api, callGateway, SENDING, toFailure } from '../api.js';
import { type Define, type Options, requireOption } from '../define.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import {
  Failure,
  NotReachable,
  type Output,
  readBody,
  readInput,
  type Thing,
  thingsIn,
  WrongUsage,
} from '../output.js';
import { SETTLED, TROUBLED, waitForPublications } from '../publications.js';
import { openFile } from './posts.js';

/** Adds `send`. */
export const addSend = (define: Define): void => {
  define({
    usage: 'send',
    summary: SUMMARIES.send,
    example: "crosspost send --endpoint $ENDPOINT --token $TOKEN --text 'The shop is open again' --wait",
    options: {
      '--endpoint <url|slug|id>': OPTIONS.endpoint,
      '--token <token>': OPTIONS.token,
      '--signing-secret <secret>': OPTIONS.signingSecret,
      '--text <text>': OPTIONS.text,
      '--file <path>': OPTIONS.post,
      '--media <path...>': OPTIONS.media,
      '--at <time>': OPTIONS.publishAt,
      '--idempotency-key <key>': OPTIONS.idempotencyKey,
      '--wait': OPTIONS.wait,
      '--no-retry': OPTIONS.noRetry,
    },
    handler: async ({ api, out, options, settings: { token, signingSecret } }) => {
      const files = await Promise.all((options.media as readonly string[]).map(openFile));
      const payload = await payloadOf(options, files.length > 0);
      const post = {
        address: await findAddress(api, options),
        payload,
        files,
        token: requireToken(options, token),
        signingSecret: (options.signingSecret as string | undefined) ?? signingSecret ?? undefined,
        key: (options.idempotencyKey as string | undefined) ?? randomUUID(),
        mayRetry: options.retry !== false,
      };
      const accepted = await sendPost(out, post);
      if (options.wait && accepted.id) await waitForPost(api, out, accepted.id);
      else out.answer(accepted);
    },
  });
};

/** A post to send. */
interface Outgoing {
  readonly address: string;
  readonly payload: Thing | string;
  readonly files: readonly Awaited<ReturnType<typeof openFile>>[];
  readonly token: string;
  readonly signingSecret: string | undefined;
  readonly key: string;
  readonly mayRetry: boolean;
}

/** Sends a post, and retries as the API advises, always with the same key. @throws Failure @throws NotReachable */
const sendPost = async (
  out: Output,
  { address: url, payload, files, token, signingSecret, key, mayRetry }: Outgoing,
): Promise<Schemas['PublishResult']> => {
  const brand = /^(.+?)_(?:live|test)_/.exec(token)?.[1];
  const client = createClient({
    ...SENDING,
    url,
    token,
    signingSecret,
    brand,
    attempts: mayRetry ? undefined : 1,
    longestWait: Infinity,
    wait: async (ms, error) => {
      const failure = toFailure(error);
      if (failure instanceof NotReachable && !failure.mayHaveArrived) throw failure;
      out.note(CLI_MESSAGES.nextAttempt({ reason: failure.message, seconds: ms / 1_000 }));
      await sleep(ms);
    },
  });
  try {
    return await callGateway(url, async () => {
      const media = await Promise.all(files.map(({ blob, filename }) => client.uploadMedia(blob, { filename })));
      const body = typeof payload === 'string' ? payload : JSON.stringify(withMedia(payload, media));
      return client.publish(new JsonText(body), { idempotencyKey: key });
    });
  } catch (error) {
    if (!isRefusal(error)) out.note(CLI_MESSAGES.repeatWithKey({ key }));
    throw error;
  }
};

/** True if a retry would fail in the same way. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Failure && error.status !== null && error.status < 500 && error.status !== 429;

const requireToken = ({ token }: Options, known: string | null): string => {
  const found = (token as string | undefined) ?? known;
  if (!found) throw new WrongUsage(CLI_MESSAGES.noToken);
  return found;
};

/**
 * Returns the request body. A file is sent byte for byte, unless the options add a publication time or files.
 * @throws WrongUsage
 */
const payloadOf = async ({ text, file, at }: Options, hasMedia: boolean): Promise<Thing | string> => {
  if (text !== undefined && file !== undefined) throw new WrongUsage(CLI_MESSAGES.textOrFile);
  if (text === undefined && file === undefined && !hasMedia) throw new WrongUsage(CLI_MESSAGES.textOrFile);
  if (file !== undefined && at === undefined && !hasMedia) return readInput(file as string);
  const post = file === undefined ? { text } : await readBody(file as string);
  return { ...post, publish_at: at };
};

/** Adds uploaded files to those that a post names. */
const withMedia = (post: Thing, uploaded: readonly Schemas['MediaUpload'][]): Thing =>
  uploaded.length === 0 ? post : { ...post, media: [...thingsIn(post.media), ...uploaded.map(({ id }) => ({ id }))] };

/** Returns the URL of the endpoint given in the options. @throws WrongUsage @throws Failure */
const findAddress = async (api: Api, options: Options): Promise<string> => {
  const endpoint = requireOption({ options }, 'endpoint', CLI_MESSAGES.noEndpoint);
  if (/^https?:\/\//.test(endpoint)) return endpoint;
  if (!endpoint.startsWith('ep_')) return `${api.url}/v1/webhooks/${encodeURIComponent(endpoint)}`;
  const { slug } = await api.get('/endpoints/{id}', { path: { id: endpoint } });
  return `${api.url}/v1/webhooks/${slug}`;
};

/**
 * Waits until all publications of a post have settled, then prints them.
 * @throws Failure if a publication has failed or is in doubt
 */
const waitForPost = async (api: Api, out: Output, id: string): Promise<void> => {
  const read = () => api.get('/posts/{id}', { path: { id } });
  const publications = await waitForPublications(out, read, ({ state }) => !SETTLED.has(String(state)));
  const troubled = publications.filter(({ state }) => TROUBLED.has(String(state)));
  if (troubled.length > 0)
    throw new Failure('not_published', CLI_MESSAGES.notPublished({ count: troubled.length, id }));
};
