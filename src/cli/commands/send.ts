import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { CommandLineSettings } from '../../config/command-line.js';
import type { Api, ApiAnswer } from '../api.js';
import { readInput } from '../body.js';
import { define, type Options } from '../define.js';
import { Failure, NotReachable, WrongUsage } from '../failures.js';
import type { Thing } from '../json.js';
import { CLI_MESSAGES, OPTIONS, SUMMARIES } from '../messages.js';
import type { Output } from '../output.js';
import { publicationsOf, SETTLED, tellPublication, TROUBLED } from '../publications.js';
import { nextAttemptIn } from '../retry-policy.js';

const POLL_MS = 500;

/** Adds `send`. */
export const addSend = (program: Command, settings: CommandLineSettings): void => {
  define(program, settings, {
    usage: 'send',
    summary: SUMMARIES.send,
    example: "crosspost send --endpoint $ENDPOINT --token $TOKEN --text 'The shop is open again' --wait",
    options: [
      ['--endpoint <url|slug|id>', OPTIONS.endpoint],
      ['--token <token>', OPTIONS.token],
      ['--signing-secret <secret>', OPTIONS.signingSecret],
      ['--text <text>', OPTIONS.text],
      ['--file <path>', OPTIONS.post],
      ['--idempotency-key <key>', OPTIONS.idempotencyKey],
      ['--wait', OPTIONS.wait],
      ['--no-retry', OPTIONS.noRetry],
    ],
    handler: async ({ api, out, options, settings: { token, signingSecret } }) => {
      const body = await payloadOf(options);
      const post = {
        address: await findAddress(api, options),
        body,
        token: requireToken(options, token),
        secret: (options.signingSecret as string | undefined) ?? signingSecret,
        key: (options.idempotencyKey as string | undefined) ?? randomUUID(),
        mayRetry: options.retry !== false,
      };
      const { text, thing } = await sendPost(api, out, post);
      if (options.wait && typeof thing.id === 'string') await waitForPost(api, out, thing.id);
      else out.answer(text, thing);
    },
  });
};

/** A post to send. */
interface Outgoing {
  readonly address: string;
  readonly body: string;
  readonly token: string;
  readonly secret: string | null;
  readonly key: string;
  readonly mayRetry: boolean;
}

/** Sends a post as often as the interface advises, always under the same key. @throws Failure @throws NotReachable */
const sendPost = async (api: Api, out: Output, post: Outgoing): Promise<ApiAnswer> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await api.call('POST', post.address, {
        raw: { type: 'application/json', content: post.body },
        key: post.token,
        idempotencyKey: post.key,
        headers: signedHeaders(post),
      });
    } catch (error) {
      const outcome =
        error instanceof Failure
          ? { status: error.status, retryAfter: error.retryAfter }
          : error instanceof NotReachable && error.mayHaveArrived
            ? { status: null, retryAfter: null }
            : null;
      const wait = outcome && post.mayRetry ? nextAttemptIn(outcome, attempt) : null;
      if (wait === null) {
        if (!isRefusal(outcome?.status ?? null)) out.note(CLI_MESSAGES.repeatWithKey({ key: post.key }));
        throw error;
      }
      out.note(CLI_MESSAGES.nextAttempt({ reason: (error as Error).message, seconds: wait }));
      await sleep(wait * 1_000);
    }
  }
};

/** True for an answer that repeating the same post would only bring again. */
const isRefusal = (status: number | null): boolean => status !== null && status < 500 && status !== 429;

/** Returns the headers that an endpoint may require: the time, and the signature of the body's bytes. */
const signedHeaders = ({ token, body, secret }: Outgoing): Record<string, string> => {
  const brand = /^(.+?)_(?:live|test)_/.exec(token)?.[1] ?? 'service';
  return {
    [`x-${brand}-timestamp`]: String(Math.floor(Date.now() / 1_000)),
    ...(secret !== null && {
      [`x-${brand}-client-signature`]: `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    }),
  };
};

const requireToken = ({ token }: Options, known: string | null): string => {
  const found = (token as string | undefined) ?? known;
  if (!found) throw new WrongUsage(CLI_MESSAGES.noToken);
  return found;
};

/** Returns the body's text. A file is sent byte for byte. @throws WrongUsage */
const payloadOf = async ({ text, file }: Options): Promise<string> => {
  if ((text === undefined) === (file === undefined)) throw new WrongUsage(CLI_MESSAGES.textOrFile);
  return text === undefined ? readInput(file as string) : JSON.stringify({ text });
};

/** Returns the URL or path of the endpoint that an option names. @throws WrongUsage @throws Failure */
const findAddress = async (api: Api, { endpoint }: Options): Promise<string> => {
  if (typeof endpoint !== 'string') throw new WrongUsage(CLI_MESSAGES.noEndpoint);
  if (/^https?:\/\//.test(endpoint)) return endpoint;
  if (!endpoint.startsWith('ep_')) return `/v1/webhooks/${encodeURIComponent(endpoint)}`;
  const { thing } = await api.manage('GET', `/endpoints/${encodeURIComponent(endpoint)}`);
  return `/v1/webhooks/${String(thing.slug)}`;
};

/** Waits until nothing of a post is under way, and prints it. @throws Failure if a publication has failed or is in doubt */
const waitForPost = async (api: Api, out: Output, id: string): Promise<void> => {
  let found: ApiAnswer;
  let publications: readonly Thing[];
  for (;;) {
    found = await api.manage('GET', `/posts/${encodeURIComponent(id)}`);
    publications = publicationsOf(found.thing);
    const open = publications.filter(({ state }) => !SETTLED.has(String(state)));
    if (open.length === 0) break;
    const done = publications.length - open.length;
    out.progress(done / publications.length, tellPublication(open[0]!));
    await sleep(POLL_MS);
  }
  out.endProgress();
  if (out.isJson) out.line(found.text);
  else for (const publication of publications) out.line(tellPublication(publication));
  const troubled = publications.filter(({ state }) => TROUBLED.has(String(state)));
  if (troubled.length > 0)
    throw new Failure('not_published', CLI_MESSAGES.notPublished({ count: troubled.length, id }));
};
