import { type BackoffBounds, backoffDelay } from '../runtime/backoff.js';
import { platformSays } from './exchange.js';
import { CALL_MESSAGES } from './messages.js';
import { inDoubtIfVisible, type RefusedCall, retry } from './outcomes.js';
import type { PublishError, StepOutcome } from './publisher.js';

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
