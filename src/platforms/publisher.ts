import type { Instant } from '../kernel/clock.js';
import type { JsonObject } from '../kernel/ids.js';
import type { MediaFacts } from '../media/media-rules.js';
import type { PhotoLimits } from '../media/photo-limits.js';
import type { TextWithEntities } from '../payload/entities.js';
import type { Button, Entity, LocatedMedium, PublishPayload } from '../payload/payload.js';
import { toLocated } from '../payload/uploads.js';

/** A post as a publisher sees it, after processing. */
export interface PlatformPost {
  readonly text: string;
  readonly entities: readonly Entity[];
  /** Follows the text after a blank line. It is never cut: the text is trimmed instead (D-23, D-28). */
  readonly signature?: TextWithEntities;
  readonly media: readonly LocatedMedium[];
  readonly buttons: readonly (readonly Button[])[];
  readonly isAdvertisement: boolean;
  /** True if readers should get no notification; default: false. */
  readonly silent?: boolean;
  /** True if the message should be pinned once it is published; default: false. Rendering only warns where it cannot. */
  readonly pin?: boolean;
}

/** Returns the part of a payload that networks see. */
export const toPlatformPost = (payload: PublishPayload): PlatformPost => {
  const { text = '', entities = [], media = [], buttons = [], is_advertisement: isAdvertisement = false } = payload;
  const wishes = { ...(payload.silent === true && { silent: true }), ...(payload.pin === true && { pin: true }) };
  return { text, entities, media: media.map(toLocated), buttons, isAdvertisement, ...wishes };
};

/** The target of a post. `address` is the public part of its credentials, such as a chat or group id. */
export interface PlatformChannel {
  readonly id: string;
  readonly address: Readonly<Record<string, string>>;
  readonly settings: JsonObject;
}

/** A note that a post is published in degraded form. Not an error (D-22). */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

/**
 * One call to a network, or the calls of one upload ({@link Publisher.previewCalls}), as `send` runs them. Never
 * contains credentials. `{ "$from": "<step>.<field>" }` refers to a field of an earlier step's result.
 */
export interface Step {
  /** Stable within a rendering: a retry resumes at the first step without a stored result. */
  readonly name: string;
  /** True if readers see the effect: only visible calls can be in doubt (networks.md §3). */
  readonly visible: boolean;
  /** The network's own method name. */
  readonly method: string;
  readonly request: JsonObject;
}

/** Sandbox preview of one call to a network (D-38). */
export interface PreviewCall {
  /** The network's own method name; `POST <…>` for an upload, with a placeholder for the URL. */
  readonly method: string;
  /** Values from a file, or from an earlier response in the same step, are placeholders: `<…>`. */
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

/** A failure, in the format of the API (D-35). */
export interface PublishError {
  readonly code: string;
  readonly category:
    'payload' | 'media' | 'credentials' | 'channel' | 'rate_limit' | 'platform' | 'network' | 'internal';
  /** `gateway` or the platform's identifier. */
  readonly source: string;
  readonly message: string;
  /** The platform's own message, shortened to 500 characters. */
  readonly platform_says?: string;
}

/** Returns an error that the gateway itself reports (D-35). */
export const gatewayError = (code: string, category: PublishError['category'], message: string): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});

/** Code of a call that was not made, or not to its end, because its worker's lease had passed (D-84). */
export const LEASE_LOST = 'lease_lost';

export type StepOutcome =
  | {
      readonly kind: 'done';
      /** Kept small, because it is stored in an event. Later steps and retries read it. */
      readonly result: JsonObject;
      readonly messageIds: readonly string[];
      readonly urls: readonly string[];
    }
  /**
   * Try again. `afterMs` is null if the gateway's backoff applies. `named`: the network asked for the delay, so the
   * attempt has not failed (D-20).
   */
  | { readonly kind: 'retry'; readonly error: PublishError; readonly afterMs: number | null; readonly named: boolean }
  | { readonly kind: 'failed'; readonly error: PublishError }
  /**
   * A refusal that would stop every later post too, because it concerns the credential, the chat or the right to write
   * (D-26, D-50). `error.message` says what to do.
   */
  | { readonly kind: 'needs_attention'; readonly error: PublishError }
  /** It is unknown whether readers see the post (D-25). */
  | { readonly kind: 'in_doubt'; readonly error: PublishError }
  /** The network moved the channel: store the new address and send again. */
  | ({ readonly kind: 'moved'; readonly address: Readonly<Record<string, string>> } & Pick<
      PublishError,
      'platform_says'
    >);

export interface SendContext {
  /** Decrypted, for this call only. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly channel: PlatformChannel;
  /** Results of the steps done so far, by step name. */
  readonly results: Readonly<Record<string, JsonObject>>;
  /** Value for a network's idempotency key: the same for every attempt at this publication. */
  readonly key: string;
  /**
   * How many times the network has delayed this publication, by {@link PublishError.code}; absent if never. Delays that
   * the network only implies grow each time (D-20).
   */
  readonly waits: Readonly<Record<string, number>>;
  /**
   * Returns the post's medium with this index as a file on disk, fitted to the limits (D-22). The caller must release
   * it. Never throws. See `media.ts` for what an error means.
   */
  readonly media: (index: number, limits: MediaLimits) => Promise<MediaFile | PublishError>;
  readonly signal: AbortSignal;
  /** True while no other worker can have the channel. Asked when a request's first byte is due (D-84). */
  readonly holdsLease?: (() => boolean) | undefined;
}

/**
 * A network's limits for one medium. A photo that exceeds them is re-encoded or scaled; any other medium is refused.
 */
export interface MediaLimits extends PhotoLimits {
  /** Limits for the picture that stands for a video (`MediaFile.cover`); absent if the network takes none. */
  readonly cover?: CoverLimits;
}

interface CoverLimits extends PhotoLimits {
  /** Of smaller videos, the network makes a picture itself. */
  readonly aboveBytes: number;
}

/** What is known about a medium before its download (D-24). */
export type ProbedMedium = LocatedMedium & MediaFacts;

/** Facts about a video that networks ask for. */
export interface VideoFacts extends JsonObject {
  /** Pixels, as readers see the video: a rotation is applied. */
  readonly width: number;
  readonly height: number;
  /** Whole seconds, at least 1. */
  readonly duration: number;
}

/** Returns the facts about a video; undefined unless all are known. */
export const videoFactsOf = ({ width, height, durationSeconds }: Partial<MediaFacts>): VideoFacts | undefined =>
  width === undefined || height === undefined || durationSeconds === undefined
    ? undefined
    : { width, height, duration: Math.max(1, Math.round(durationSeconds)) };

/** A medium that stays on disk until it is released. */
export interface MediaFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Detected from the file's bytes, without parameters. */
  readonly mime: string;
  /** Readers see it, and some networks use its extension. */
  readonly filename: string;
  /** Size and length of a video, as far as the file says them. */
  readonly video?: VideoFacts | undefined;
  /** The cover picture of an MP4 file, within {@link MediaLimits.cover}. Released together with the file. */
  readonly cover?: Pick<MediaFile, 'path' | 'sizeBytes' | 'mime' | 'filename'> | undefined;
  /** True for a photo that was scaled down or re-encoded. */
  readonly isFitted: boolean;
  readonly release: () => void;
}

/** A medium of the post that a step sends, and the network's limits for it. */
export interface WantedMedium {
  readonly index: number;
  readonly limits: MediaLimits;
}

/** A published message. */
export interface PublishedMessage {
  readonly id: string;
  /** When the publication was published, or its first message sent. */
  readonly at: Instant;
}

export interface DeleteContext extends Pick<SendContext, 'credentials' | 'channel' | 'signal' | 'holdsLease'> {
  readonly now: Instant;
  /** Length of a minute, in ms (MINUTE_MS); scales how long a network allows deletions. */
  readonly minuteMs: number;
}

/** What happened to a message that should be deleted. */
export type DeleteOutcome =
  | { readonly kind: 'deleted' }
  /** The network says that there is no such message; whether that proves its deletion depends on who asks (D-70). */
  | { readonly kind: 'not_there' }
  /**
   * Refused for this message: `error.code` is `too_old`, `no_right_to_delete`, `user_token_needed`, `chat_changed` or
   * `refused`; `error.message` says what to do there.
   */
  | { readonly kind: 'refused'; readonly error: PublishError }
  /** Try again. As for {@link StepOutcome}. An unanswered call is a retry, because deleting can be repeated. */
  | { readonly kind: 'retry'; readonly error: PublishError; readonly afterMs: number | null; readonly named: boolean }
  /** Posts would be refused too (D-71): token revoked, chat gone, bot removed. */
  | { readonly kind: 'needs_attention'; readonly error: PublishError };

/** What readers see of a post on one channel. */
export interface PublishedPost {
  /** The content that they see, after processing. */
  readonly post: PlatformPost;
  /** Results of the steps that published it, except for the last step's, or {@link EditRendering.resultsAfter}. */
  readonly results: SendContext['results'];
  /** In the order of publication. */
  readonly messageIds: readonly string[];
}

/** A call of an edit. */
export interface EditStep extends Step {
  /** The message that it changes; null for an upload before that. */
  readonly messageId: string | null;
}

/** The plan of an edit. */
export interface EditRendering extends Omit<Rendering, 'steps'> {
  /** Empty if readers would see no difference. */
  readonly steps: readonly EditStep[];
  /** {@link PublishedPost.results} once all steps are done. */
  readonly resultsAfter: SendContext['results'];
}

/** Why the messages cannot hold the new content, known before any call: `text_removed`, `media_count` … */
export interface EditRefusal {
  readonly refusal: Pick<PublishError, 'code' | 'message'>;
}

/** What happened to a call of an edit. An unanswered call is a retry, because an edit can be repeated. */
export type EditOutcome =
  | {
      readonly kind: 'done';
      /** For later steps; empty unless it was an upload. */
      readonly result: JsonObject;
      /** False if the network says that nothing differs. */
      readonly changed: boolean;
    }
  /** As for {@link DeleteOutcome}; `error.code` is `no_right_to_edit` (or `…_pin`), `user_token_needed`, `chat_changed` or `refused`. */
  | Exclude<DeleteOutcome, { kind: 'deleted' }>;

/** A forecast of what can be edited. */
export interface EditForecast {
  readonly edit: readonly ('text' | 'buttons' | 'media')[];
  /** Why something is missing; null if nothing is. */
  readonly text: string | null;
}

/** Numbers of a message or a publication; null for a number that the network does not give (D-75). */
export interface Numbers {
  readonly views: number | null;
  readonly reactions: number | null;
  readonly comments: number | null;
  readonly shares: number | null;
}

export type NumbersContext = Pick<SendContext, 'credentials' | 'channel' | 'signal'>;

/** What the network says about a message. */
export type MessageNumbers =
  | { readonly kind: 'counted'; readonly numbers: Numbers }
  /** There is no such message. */
  | { readonly kind: 'gone' }
  /** Refused; `text` says why, and what would help. It says nothing about posting (D-71). */
  | { readonly kind: 'unavailable'; readonly text: string };

export type NumbersAnswer =
  | { readonly kind: 'answered'; readonly messages: ReadonlyMap<string, MessageNumbers> }
  /** Ask again; `afterMs` is null if the network names no delay. */
  | { readonly kind: 'retry'; readonly error: PublishError; readonly afterMs: number | null };

/** A forecast of whether messages can be deleted. */
export interface DeleteForecast {
  /** Null if only the network knows. */
  readonly withdraw: true | false | null;
  /** The last moment at which the network allows it; null if there is none, or nothing is published yet. */
  readonly until: Instant | null;
  /** Why it cannot be done, or is not known; null if it can. */
  readonly text: string | null;
}

/** Result of looking up on the network whether a post in doubt was sent (D-25). */
export type LookUpResult =
  | { readonly kind: 'sent'; readonly outcome: Extract<StepOutcome, { kind: 'done' }> }
  /** The post may be sent again. */
  | { readonly kind: 'not_sent' }
  /** The look-up failed; another may succeed. */
  | { readonly kind: 'unanswered' }
  /** Another look-up would not help: the network's records are inconclusive or not accessible. */
  | { readonly kind: 'unknown' };

/** Facts about a send whose outcome is unknown. */
export interface SendInDoubt {
  /** When the attempt started. Older messages cannot come from this send. */
  readonly since: Instant;
  /** How many ms too late `since` may be, if it comes from another machine's clock; default 0. */
  readonly toleranceMs?: number;
  /** Ids of earlier messages in the channel. Any message older than one of them is older than this send. */
  readonly before: ReadonlySet<string>;
  /** Newer messages cannot come from this send, and the search goes back as far as one call allows; default: none. */
  readonly until?: Instant;
  /** Ids of messages that belong to other posts; default: none. */
  readonly others?: ReadonlySet<string>;
}

/** One check of a channel test, with its result (management-api.md: `POST /channels/{id}/test`). */
export interface ChannelCheck {
  /**
   * `credentials` (who the bot is), `chat`, `rights` (whether it may post there), `withdraw`, `edit` and `statistics`
   * (what is possible afterwards), or a network-specific name.
   */
  readonly name: string;
  readonly ok: boolean;
  /** Names the bot or chat, or says what is wrong and how to fix it. */
  readonly message: string;
  /** The network's own message, shortened to 500 characters; null if there is none. */
  readonly platform_says: string | null;
}

/** The id of a chat, or why the network does not give it. */
export type FoundChat = { readonly id: string } | { readonly error: Pick<PublishError, 'message' | 'platform_says'> };

/** Context of a channel test. `signal` aborts when the test times out. */
export interface TestContext extends Pick<SendContext, 'credentials' | 'channel' | 'signal'> {
  /** Waits until the network's pace allows a call with this credential ({@link PlatformPace.perCredential}). */
  readonly awaitTurn: (credential: string) => Promise<void>;
}

/** At most `calls` calls in `perMs` milliseconds. */
export interface Pace {
  readonly calls: number;
  readonly perMs: number;
}

/** Rate limits for visible calls to a channel and for all calls with a credential (networks.md §3). */
export interface PlatformPace {
  readonly perChannel: readonly Pace[];
  readonly perCredential: readonly Pace[];
}

/** Options for every publisher; a network ignores options that it does not need. */
export interface PublisherOptions {
  /** Base URL of the network's API; a trailing slash is ignored. */
  readonly apiUrl: string;
  /** Time limit for one call, including the response, in ms; 30 s by default. */
  readonly timeoutMs?: number;
  /** Time limit for one upload, including the response, in ms; 15 minutes by default. */
  readonly uploadTimeoutMs?: number;
  /** PEM certificates of authorities to trust in addition to Node's own; none by default. */
  readonly extraCertificates?: readonly string[];
  /** Counts the network's errors that the gateway does not know; ignored by default. */
  readonly countUnknown?: (code: string) => void;
}

export interface ConnectedPublisher extends Publisher {
  /** Closes idle connections at once and waits for calls in flight. */
  close(): Promise<void>;
}

export interface Publisher {
  readonly platform: string;
  readonly pace: PlatformPace;
  /**
   * Returns the credential for a call. All calls with the same credential share {@link PlatformPace.perCredential}.
   * @param visible true if readers see the effect of the call
   */
  credentialFor(credentials: SendContext['credentials'], visible: boolean): string | undefined;
  /** Returns the network's id for the account that the credentials belong to, if they contain it. Pure. */
  accountOf?(credentials: SendContext['credentials']): string | null;
  /**
   * Returns the calls for a post. The `results` of earlier steps may change later steps, for example if a medium is too
   * large, so a post is rendered again after each step. Pure.
   */
  render(post: PlatformPost, channel: PlatformChannel, results?: SendContext['results']): Rendering;
  /** Runs one step and classifies its outcome; never throws. */
  send(step: Step, context: SendContext): Promise<StepOutcome>;
  /** Returns the media that `send` requests in a step, so that they can be fetched in advance. Pure. */
  mediaOf(step: Step): readonly WantedMedium[];
  /**
   * Predicts step results before any download, so that a rendering can show which media become links and which photos
   * are fitted (D-22, D-38). A step whose result is only `fitted` still runs. Pure.
   */
  forecastResults(media: readonly ProbedMedium[]): SendContext['results'];
  /**
   * Returns the calls that a step makes, in order, if all of them succeed (D-38): none for a step without calls,
   * several for an upload. Pure.
   * @param media the post's media
   */
  previewCalls(step: Step, media: readonly ProbedMedium[]): readonly PreviewCall[];
  /**
   * Checks with the network, without posting, who the credentials belong to and whether they allow posting to the
   * channel. Stops after a failed check that later checks depend on. Never throws.
   */
  test(context: TestContext): AsyncIterable<ChannelCheck>;
  /**
   * Asks the network for the id of the chat with a public name, such as `@acme_news`; absent if calls take names. Never
   * throws.
   */
  findChat?(name: string, context: Omit<TestContext, 'channel'>): Promise<FoundChat>;
  /**
   * How long, in ms, the network treats calls with the same {@link SendContext.key} as the same post, so a call may be
   * repeated without a look-up. Absent if the network has no keys (networks.md §4).
   */
  readonly keyLifetimeMs?: number;
  /**
   * Looks up on the network whether readers see the effect of a step in doubt; absent if the network has no look-up.
   * Never throws. Never mistakes an older post with the same content for this one. `not_sent` may not be final, because
   * the network may still be processing the call.
   */
  lookUp?(step: Step, context: SendContext, send: SendInDoubt): Promise<LookUpResult>;
  /** Deletes one message; absent if the network cannot. Never throws. Callers delete the last message first. */
  deleteMessage?(message: PublishedMessage, context: DeleteContext): Promise<DeleteOutcome>;
  /**
   * Predicts until when readers' messages can be deleted, for `can.withdraw` and `withdraw_until`. Absent if the network
   * cannot delete. Pure.
   * @param publishedAt null before a publication
   */
  canDelete?(channel: PlatformChannel, publishedAt: Instant | null, now: Instant, minuteMs: number): DeleteForecast;
  /**
   * Plans the calls that change what readers see into `post`: never a new message, nor one less. Absent if the network
   * cannot edit. Pure.
   * @param results of the edit's uploads so far
   */
  renderEdit?(
    published: PublishedPost,
    post: PlatformPost,
    channel: PlatformChannel,
    results?: SendContext['results'],
  ): EditRendering | EditRefusal;
  /** Runs one step of an edit; never throws. `context.results` are those of the edit's uploads. */
  edit?(step: EditStep, context: SendContext): Promise<EditOutcome>;
  /** Predicts what can be edited in a published post. Absent if the network cannot edit. Pure. */
  canEdit?(post: PlatformPost, channel: PlatformChannel): EditForecast;
  /** Pins a message to the top of the chat, without a notification; absent if the network cannot. Never throws. */
  pin?(message: PublishedMessage, context: DeleteContext): Promise<EditOutcome>;
  /** Returns the id of the message to pin: the one with the text, otherwise the first. Present if `pin` is. Pure. */
  messageToPin?(published: PublishedPost, channel: PlatformChannel): string | undefined;
  /**
   * Reads the numbers of messages with one call; absent if the network gives none: see {@link noNumbers}. Never throws.
   * @param messageIds 1 to {@link numbersPerCall}
   */
  readNumbers?(messageIds: readonly string[], context: NumbersContext): Promise<NumbersAnswer>;
  /** Maximum number of messages in a call of {@link readNumbers}; default 1. */
  readonly numbersPerCall?: number;
  /** Why the network gives no numbers. */
  readonly noNumbers?: string;
}
