import type { Instant } from '../kernel/instant.js';
import type { JsonObject } from '../kernel/json.js';
import type { TextWithEntities } from '../payload/entities.js';
import type { Button, Entity, Media, PublishPayload } from '../payload/payload.js';

/** What a network's publisher gets to see of a post, after processing. */
export interface PlatformPost {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Stands below the text after a blank line, and keeps its room: the text is cut shorter instead (D-23, D-28). */
  readonly signature?: TextWithEntities;
  readonly media: readonly Media[];
  readonly buttons: readonly (readonly Button[])[];
  readonly isAdvertisement: boolean;
}

/** The part of a payload that networks get to see. */
export const platformPostOf = (payload: PublishPayload): PlatformPost => {
  const { text = '', entities = [], media = [], buttons = [], is_advertisement: isAdvertisement = false } = payload;
  return { text, entities, media, buttons, isAdvertisement };
};

/** Where it goes. `address` is the public part of the credentials (chat_id, group_id). */
export interface PlatformChannel {
  readonly id: string;
  readonly address: Readonly<Record<string, string>>;
  readonly settings: JsonObject;
}

/** A degradation (D-22): never silent, never an error. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

/**
 * One call to a network, or the calls of one upload ({@link Publisher.callsOf}), as `send` runs it. Credentials never stand in
 * it; what an earlier step answered is referred to as `{ "$from": "<step>.<field>" }`.
 */
export interface Step {
  /** Stable within a rendering: a retry resumes at the first step without a remembered result. */
  readonly name: string;
  /** True for a call that readers can see: only such a call can be in doubt (networks.md §3). */
  readonly visible: boolean;
  /** The network's own method name. */
  readonly method: string;
  readonly request: JsonObject;
}

/** One call to a network, in the form in which the sandbox shows it (D-38). */
export interface ShownCall {
  /** The network's own method name; an upload's is `POST <…>`, where what stands for the address is in brackets. */
  readonly method: string;
  /** What only a file or an earlier answer of the same step tells stands as `<…>` in it. */
  readonly request: JsonObject;
}

/** The plan of a publication on one network. */
export interface Rendering {
  readonly steps: readonly Step[];
  readonly warnings: readonly Warning[];
  readonly textAfterTrim: string;
  /** UTF-16 units cut from the original text (D-44). */
  readonly trimmedChars: number;
}

/** How a failure is told (D-35). */
export interface PublishError {
  readonly code: string;
  readonly category:
    'payload' | 'media' | 'credentials' | 'channel' | 'rate_limit' | 'platform' | 'network' | 'internal';
  /** `gateway` or the platform's identifier. */
  readonly source: string;
  readonly message: string;
  /** The platform's own words, shortened to 500 characters. */
  readonly platform_says?: string;
}

/** What became of one step. */
export type StepOutcome =
  | {
      readonly kind: 'done';
      /** Small, remembered in an event: later steps and retries read it. */
      readonly result: JsonObject;
      readonly messageIds: readonly string[];
      readonly urls: readonly string[];
    }
  /** Try again. `afterMs` null: our own backoff. `named`: the network asked for the wait, so it is no failed attempt (D-20). */
  | { readonly kind: 'retry'; readonly error: PublishError; readonly afterMs: number | null; readonly named: boolean }
  | { readonly kind: 'failed'; readonly error: PublishError }
  /** The credential is refused: the channel needs attention (D-26). */
  | { readonly kind: 'credentials'; readonly error: PublishError }
  /** Nobody can say whether readers see it (D-25). */
  | { readonly kind: 'in_doubt'; readonly error: PublishError }
  /** The channel moved: take the new address and send again (Telegram's migrate_to_chat_id). */
  | ({ readonly kind: 'moved'; readonly address: Readonly<Record<string, string>> } & Pick<
      PublishError,
      'platform_says'
    >);

/** What a publisher is given for one step. */
export interface SendContext {
  /** Decrypted, for this call alone. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly channel: PlatformChannel;
  /** Results of the steps done so far, by step name. */
  readonly results: Readonly<Record<string, JsonObject>>;
  /** The same for every attempt at this publication: goes where a network takes an idempotency key. */
  readonly key: string;
  /**
   * How often the network has put this publication off, by {@link PublishError.code}; none before the first time. A wait
   * that it implies grows with each (D-20).
   */
  readonly waits: Readonly<Record<string, number>>;
  /**
   * The post's medium of this index as a file on disk, made to fit what is wanted (D-22). Whoever asked releases it.
   * Never throws: see {@link MediaFile} and `media-error.ts` for what an error means.
   */
  readonly media: (index: number, wanted: WantedMedia) => Promise<MediaFile | PublishError>;
  readonly signal: AbortSignal;
}

/** What a network takes of one medium; a photo beyond it is re-encoded or scaled, anything else is refused. */
export interface WantedMedia {
  readonly maxBytes: number;
  /** Pixels of the longer side. */
  readonly maxSide?: number;
  /** Pixels of width and height together. */
  readonly maxSum?: number;
  /** Longer side by shorter side: a photo beyond it cannot go. */
  readonly maxRatio?: number;
  /** Mime types without parameters. */
  readonly formats: readonly string[];
}

/** A medium as far as it is known before it is fetched (D-24). */
export interface ProbedMedium extends Media {
  /** Null where nobody knows. */
  readonly sizeBytes: number | null;
  /** By the file's own bytes, without parameters; null where it is not certain. */
  readonly mime: string | null;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
}

/** A medium on disk, for as long as it is not released. */
export interface MediaFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** By the file's own bytes, without parameters. */
  readonly mime: string;
  /** For readers and for networks that go by the ending; without a path. */
  readonly filename: string;
  /** Whether it is a photo that was scaled down or encoded anew. */
  readonly isFitted: boolean;
  readonly release: () => void;
}

/** What a network's own record says of a send in doubt (D-25). */
export type LookUp =
  | { readonly kind: 'sent'; readonly outcome: Extract<StepOutcome, { kind: 'done' }> }
  /** Surely not: it may be sent again. */
  | { readonly kind: 'not_sent' }
  /** The network could not be asked just now: asking again may help. */
  | { readonly kind: 'unanswered' }
  /** What the network shows does not tell, or is not shown to us: asking again would not help. */
  | { readonly kind: 'unknown' };

/** What is known of a send whose outcome is not. */
export interface SendInDoubt {
  /** Milliseconds: when its attempt began. What is older is not this one. */
  readonly since: Instant;
  /** Ids of messages that were in the channel before it: what is older than one of them is older than it, too. */
  readonly before: ReadonlySet<string>;
}

/** At most so many calls in so many milliseconds. */
export interface Pace {
  readonly calls: number;
  readonly perMs: number;
}

/** What a network takes of us before it says so itself (networks.md §3): of a chat, what readers see; of an account, all. */
export interface PlatformPace {
  readonly perChannel: readonly Pace[];
  readonly perCredential: readonly Pace[];
}

/** One network. `render` is pure; `send` runs one step and classifies whatever happens; it never throws. */
export interface Publisher {
  readonly platform: string;
  readonly pace: PlatformPace;
  /**
   * The credential that a call is made with: whoever makes calls with the same one shares {@link PlatformPace.perCredential}.
   * @param visible whether readers see what the call does
   */
  accountOf(credentials: SendContext['credentials'], visible: boolean): string | undefined;
  /**
   * The calls for a post. `results`: of the steps done so far, as in {@link SendContext}; what they found (a medium too
   * large to go) may change the steps that follow, so a post is rendered anew after each step.
   */
  render(post: PlatformPost, channel: PlatformChannel, results?: SendContext['results']): Rendering;
  send(step: Step, context: SendContext): Promise<StepOutcome>;
  /**
   * What steps will find of a post's media and end with, as far as it can be told before anything is fetched: with these
   * results `render` shows which media go as links, and which photos are made to fit (D-22, D-38). A result that is
   * `fitted` and nothing else is known before the step, which is taken all the same. Pure.
   */
  foresee(media: readonly ProbedMedium[]): SendContext['results'];
  /**
   * All the calls that a step comes to, in order, while nothing goes wrong (D-38): none for one that calls nobody, several
   * for an upload. `send` makes its calls from the same descriptions. Pure.
   * @param media the post's, as far as they are known
   */
  callsOf(step: Step, media: readonly ProbedMedium[]): readonly ShownCall[];
  /**
   * For how long, in milliseconds from a call, the network takes another one with the same {@link SendContext.key} for
   * the same post, so that it may be repeated without a look. Absent: it knows no keys (networks.md §4).
   */
  readonly keyLifetimeMs?: number;
  /**
   * Whether a step in doubt is with its readers, where the network can be asked. Never throws. An older post of the same
   * content is never taken for it. A network may still be at work on what it was sent: `not_sent` holds for the moment.
   */
  lookUp?(step: Step, context: SendContext, send: SendInDoubt): Promise<LookUp>;
}
