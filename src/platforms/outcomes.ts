import type { JsonObject } from '../kernel/ids.js';
import { type BackoffBounds, backoffDelay } from '../runtime/backoff.js';
import { type Exchange, extractWords, type Interrupted, platformSays, readRetryAfter } from './exchange.js';
import { CALL_MESSAGES, CALL_MESSAGES as MESSAGES } from './messages.js';
import { gatewayError, LEASE_LOST, type PublishError, type SendContext, type StepOutcome } from './publisher.js';

/** Returns the outcome of a step that creates no message, such as an upload. */
export const doneWithoutMessage = (result: JsonObject): StepOutcome => ({
  kind: 'done',
  result,
  messageIds: [],
  urls: [],
});

/** Returns a retry after the gateway's own backoff. */
export const retry = (error: PublishError): StepOutcome => ({ kind: 'retry', named: false, afterMs: null, error });

/** Returns `in_doubt` if readers may see the effect of the call, otherwise a retry (D-25). */
const inDoubtIfVisible = (visible: boolean, error: PublishError): StepOutcome =>
  visible ? { kind: 'in_doubt', error } : retry(error);

/** Returns the outcome for every step of a channel whose credentials are unusable: no call is made. */
export const unusableCredentials = (
  code: string,
  message: string,
): Extract<StepOutcome, { kind: 'needs_attention' }> => ({
  kind: 'needs_attention',
  error: gatewayError(code, 'credentials', message),
});

/** A call that got no response from the network's API. */
interface UnansweredCall {
  /** The network's display name. */
  readonly title: string;
  readonly platform: string;
  /**
   * True if readers can see the effect: only visible calls can be in doubt; others may be repeated (networks.md §3).
   */
  readonly visible: boolean;
  /** Values to mask in the network's message. */
  readonly credentials: Readonly<Record<string, string>>;
}

export interface RefusedCall extends Pick<SendContext, 'waits' | 'credentials'> {
  /** True if readers would see the effect. */
  readonly visible: boolean;
  /** Counts an error that is in no table of errors. */
  readonly countUnknown?: (code: string) => void;
}

/**
 * Classifies an exchange whose response is missing or does not come from the API: a proxy's HTML, an empty or malformed
 * body, or a result without an id (D-25). A 429 asks for a delay, and a 413 means that an upload is too large.
 */
export const classifyUnanswered = (exchange: Exchange, call: UnansweredCall): StepOutcome => {
  const { title: network, platform, credentials } = call;
  if (exchange.kind !== 'answered') return classifyInterrupted(exchange, call);
  const { status, headers, body } = exchange;
  const says = platformSays(extractWords(body), credentials);
  if (status === 429) {
    const seconds = Number(readRetryAfter(headers) ?? NaN);
    return {
      kind: 'retry',
      named: true,
      afterMs: Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) * 1_000 : null,
      error: {
        code: 'too_many_requests',
        category: 'rate_limit',
        source: platform,
        message: MESSAGES.slowDown({ network }),
        ...says,
      },
    };
  }
  if (status === 413) {
    const message = MESSAGES.uploadTooLarge({ network });
    return {
      kind: 'failed',
      error: { code: 'media_too_large', category: 'media', source: platform, message, ...says },
    };
  }
  return classifyUnreadable(status, says, call);
};

/** Codes that name the gateway's own reason for ending a call. */
const OWN_CODES: ReadonlySet<string> = new Set(['timed_out', 'aborted', LEASE_LOST]);

/** Codes of a certificate that no known authority has issued. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/** Classifies a call whose request was not sent, or whose response did not arrive completely (D-25). */
export const classifyInterrupted = (
  { kind, code, detail, host }: Interrupted,
  { title: network, visible }: Pick<UnansweredCall, 'title' | 'visible'>,
): StepOutcome => {
  if (kind === 'never_sent' && UNTRUSTED.has(code)) {
    const message = MESSAGES.certificateNotTrusted({ network, host: host ?? network, detail });
    return { kind: 'needs_attention', error: gatewayError('certificate_not_trusted', 'network', message) };
  }
  if (kind === 'never_sent')
    return retry(
      gatewayError(
        code === 'aborted' || code === LEASE_LOST ? code : 'not_sent',
        'network',
        MESSAGES.notSent({ network, detail }),
      ),
    );
  const describe = visible ? MESSAGES.notAnsweredInDoubt : MESSAGES.notAnswered;
  const errorCode = OWN_CODES.has(code) ? code : 'connection_lost';
  return inDoubtIfVisible(visible, gatewayError(errorCode, 'network', describe({ network, detail })));
};

/**
 * Classifies a response that does not come from the API, by its status (D-25). With a 3xx or 4xx, an intermediary
 * refused to forward the call, so it may be repeated. With any other status, the network may have executed the call.
 * @param says the text in the response
 */
export const classifyUnreadable = (
  status: number,
  says: Pick<PublishError, 'platform_says'>,
  { title: network, visible }: Pick<UnansweredCall, 'title' | 'visible'>,
): StepOutcome => {
  if (status >= 300 && status < 500)
    return retry({
      ...gatewayError('unreadable_refusal', 'network', MESSAGES.intermediary({ network, status })),
      ...says,
    });
  const describe = visible ? MESSAGES.unreadableInDoubt : MESSAGES.unreadable;
  const error = gatewayError('unreadable_answer', 'platform', describe({ network, status }));
  return inDoubtIfVisible(visible, { ...error, ...says });
};

/** What the gateway does about a network's error (network-errors.md). */
export type ErrorClass =
  /** Waits and sends again. */
  | 'retry'
  /** Stop the channel until a person has acted (D-26, D-50). */
  | 'credentials'
  | 'channel'
  /** Leaves the medium out and links to it (D-22); if that is not possible, the post fails. */
  | 'media'
  /** Uploads the medium once more to a new address, then as `media`. */
  | 'upload'
  /** This post fails, the next one goes. */
  | 'refused'
  /** As `refused`: the request itself is wrong, so the gateway or its settings need a look. */
  | 'program'
  /** It is unknown whether readers see the post (D-25). */
  | 'doubt';

/** What an error means and what to do, in the languages of the console. */
export interface Advice {
  readonly en: string;
  readonly ru: string;
}

/** A row of a network's table. It covers an answer with one of the codes, and with some of the words. */
export interface ErrorRow {
  /** The network's codes or HTTP statuses; absent if the words decide alone. */
  readonly codes?: readonly (number | string)[];
  /** A second code of the answer; absent if it does not matter. */
  readonly subcode?: number;
  /** Parts of the network's message, of which one must occur, in any case; `*` stands for any text. */
  readonly words?: readonly string[];
  readonly class: ErrorClass;
  /** The gateway's code (D-35). */
  readonly code: string;
  readonly advice: Advice;
  /** Delays that the error implies (D-20). A `retry` without them uses the gateway's own backoff. */
  readonly wait?: BackoffBounds;
}

/** A network's refusal of a call. */
export interface Answer {
  readonly codes: readonly (number | string)[];
  readonly subcode?: number | undefined;
  /** The network's own message; may be empty. */
  readonly words: string;
  /** Delay that the network names, in seconds; null if it asks for one without a time. Absent for other answers. */
  readonly waitSeconds?: number | null;
}

/** The category of each class of errors (D-35). */
export const CATEGORIES: Readonly<Record<ErrorClass, PublishError['category']>> = {
  retry: 'rate_limit',
  credentials: 'credentials',
  channel: 'channel',
  media: 'media',
  upload: 'media',
  refused: 'payload',
  program: 'internal',
  doubt: 'platform',
};

/** Errors of a network as data. Classification, documentation and tests come from the rows. */
export class ErrorTable {
  private readonly rules: readonly { readonly row: ErrorRow; readonly fits: (answer: Answer) => boolean }[];

  /** @param rows in order: the first row that fits an answer counts */
  constructor(
    readonly platform: string,
    readonly title: string,
    readonly rows: readonly ErrorRow[],
  ) {
    this.rules = rows.map((row) => ({ row, fits: createMatcher(row) }));
  }

  /** Returns the row that covers an answer; undefined for an unknown error. */
  find(answer: Answer): ErrorRow | undefined {
    return this.rules.find(({ fits }) => fits(answer))?.row;
  }

  /** Returns the outcome of a refused call. An error that is in no row is a refusal of the post, and is counted. */
  classify(answer: Answer, call: RefusedCall): StepOutcome {
    const { platform, title: network } = this;
    const says = platformSays(answer.words, call.credentials);
    const row = this.find(answer);
    if (!row) {
      const code = String(answer.codes.at(-1) ?? '');
      call.countUnknown?.(code);
      const message = CALL_MESSAGES.refusedUnknown({ network, code });
      return { kind: 'failed', error: { code: 'refused', category: 'payload', source: platform, message, ...says } };
    }
    const { code, wait } = row;
    const message = explain(row, answer, call.visible, network);
    const error: PublishError = { code, category: CATEGORIES[row.class], source: platform, message, ...says };
    switch (row.class) {
      case 'retry':
        if (wait) return { kind: 'retry', named: true, afterMs: backoffDelay(wait, call.waits[code] ?? 0), error };
        if (answer.waitSeconds === undefined) return retry({ ...error, category: 'platform' });
        return { kind: 'retry', named: true, afterMs: toMs(answer.waitSeconds), error };
      case 'credentials':
      case 'channel':
        return { kind: 'needs_attention', error };
      case 'doubt':
        return inDoubtIfVisible(call.visible, error);
      case 'media':
      case 'upload':
      case 'refused':
      case 'program':
        return { kind: 'failed', error };
    }
  }
}

/** Code of an upload that may succeed with a new address. */
export const UPLOAD_FAILED = 'upload_failed';

const explain = (row: ErrorRow, { waitSeconds }: Answer, visible: boolean, network: string): string => {
  if (row.class === 'retry' && typeof waitSeconds === 'number')
    return CALL_MESSAGES.asksToWait({ network, seconds: waitSeconds });
  if (row.class === 'doubt' && visible) return CALL_MESSAGES.mayBeVisible({ what: row.advice.en });
  return row.advice.en;
};

const toMs = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1_000);

const createMatcher = ({ codes, subcode, words }: ErrorRow): ((answer: Answer) => boolean) => {
  const pattern = words && new RegExp(words.map(toSource).join('|'), 'is');
  return (answer) =>
    (codes === undefined || answer.codes.some((code) => codes.includes(code))) &&
    (subcode === undefined || answer.subcode === subcode) &&
    (pattern === undefined || pattern.test(answer.words));
};

const toSource = (words: string): string =>
  words
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*?');
