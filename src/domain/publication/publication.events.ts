import type { Instant } from '../../kernel/clock.js';
import { type Catalogue, type DomainEvent, withContent } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import type { Platform } from '../channel/channel.events.js';

/** The error of a failed publication (D-35); the same fields as a publisher's error. */
export interface PublicationError {
  readonly code: string;
  readonly category: string;
  readonly source: string;
  readonly message: string;
  /** Null once it is erased (D-100). */
  readonly platform_says?: string | null;
}

/** A degradation of a post (D-22). */
export interface PublicationWarning {
  readonly code: string;
  readonly message: string;
}

/**
 * The rule that postponed an attempt (D-36). Only `retry` counts as a failed attempt (D-20). `interrupted`: the process
 * exited before the attempt started anything visible to readers.
 */
export type PostponeRule = 'retry' | 'platform_limit' | 'needs_attention' | 'interrupted';

/** Ids in every event of a publication. */
export interface PublicationIds {
  readonly publicationId: string;
  readonly postId: string;
  readonly channelId: string;
}

/** The content of a post. */
export interface Content {
  /** The post's revision (D-63). */
  readonly revision: number;
  /** Revision of the event that holds it, in the post's stream. */
  readonly streamRevision: number;
}

/** The account that publishes, and the chat. */
export interface Sender {
  /** The parts of the channel's address that identify the chat. */
  readonly chat: Readonly<Record<string, string>>;
  readonly credentialsId: string;
  /** The network's id for the account, if the credential tells it; otherwise null. */
  readonly account: string | null;
}

/**
 * An attempt was started. The event is both a claim and a fence: only the worker that appends it may send. `sending`
 * names the visible step that is sent next; null if no visible step is started, so that a crash leaves no doubt.
 */
export type PublicationStarted = DomainEvent<
  'PublicationStarted',
  PublicationIds & {
    readonly attempt: number;
    readonly worker: string;
    readonly sending: string | null;
    readonly at: Instant;
    /** Revision of the project whose processing produced the text; null if there is no text yet (D-28). */
    readonly projectRevision: string | null;
    /** Who sends, and where, so that it is known later who may delete (D-70); absent in events of former releases. */
    readonly sender?: Sender;
    /** The content that is sent; absent for the content that the post was released with. */
    readonly content?: Content;
  }
>;
/** The visible step `sending` is about to be sent. */
export type PublicationStepStarted = DomainEvent<
  'PublicationStepStarted',
  PublicationIds & { readonly attempt: number; readonly sending: string }
>;
/**
 * A step was completed; a retry resumes after it. `sending` names the visible step that follows immediately, if any.
 */
export type PublicationStepCompleted = DomainEvent<
  'PublicationStepCompleted',
  PublicationIds & {
    readonly attempt: number;
    readonly step: string;
    readonly result: JsonObject;
    readonly messageIds: readonly string[];
    readonly urls: readonly string[];
    readonly sending: string | null;
  }
>;
/**
 * A call that had been given up turned out to have succeeded beside another call that was counted (D-84): readers see
 * these messages as well.
 */
export type PublicationDuplicateFound = DomainEvent<
  'PublicationDuplicateFound',
  PublicationIds & {
    /** The attempt that made the call. */
    readonly attempt: number;
    readonly at: Instant;
    readonly messageIds: readonly string[];
    readonly urls: readonly string[];
  }
>;
/** A person has dealt with the duplicates found so far. */
export type PublicationDuplicateDismissed = DomainEvent<
  'PublicationDuplicateDismissed',
  PublicationIds & { readonly at: Instant }
>;
/** The post is visible to readers. `messageIds` and `urls` cover all steps. */
export type PublicationSucceeded = DomainEvent<
  'PublicationSucceeded',
  PublicationIds & {
    readonly attempt: number;
    readonly at: Instant;
    readonly messageIds: readonly string[];
    readonly urls: readonly string[];
    /** Null once they are erased (D-100). */
    readonly warnings: readonly PublicationWarning[] | null;
    /** True if a message is to be pinned; false if the network pins none; absent if it was not asked for. */
    readonly pin?: boolean;
  }
>;
/** The attempt did not succeed; the next attempt starts at `retryAt` at the earliest. */
export type PublicationPostponed = DomainEvent<
  'PublicationPostponed',
  PublicationIds & {
    readonly attempt: number;
    readonly at: Instant;
    readonly retryAt: Instant;
    readonly rule: PostponeRule;
    readonly error: PublicationError;
  }
>;
/** The publication failed for good; the channel continues with the next publication (D-20). */
export type PublicationFailed = DomainEvent<
  'PublicationFailed',
  PublicationIds & { readonly attempt: number; readonly at: Instant; readonly error: PublicationError }
>;
/** Code of the error of a publication that is in doubt because events were lost (D-80). */
export const RESTORED = 'restored';

/** The delivery could not be confirmed; it is not repeated automatically (D-25). */
export type PublicationInDoubt = DomainEvent<
  'PublicationInDoubt',
  PublicationIds & {
    readonly attempt: number;
    readonly at: Instant;
    readonly step: string;
    readonly error: PublicationError;
  }
>;
/** The post is not sent to this target: the project's filters excluded it, or no text was left (D-22, D-28). */
export type PublicationFiltered = DomainEvent<
  'PublicationFiltered',
  PublicationIds & { readonly at: Instant; readonly reason: PublicationWarning }
>;
/**
 * The owner's monthly quota is used up (D-46): the publication waits until the next month, or until the owner's plan or
 * post packs change. `ownerRevision`: revision of the owner's stream at the check; later changes end the wait.
 */
export type PublicationHeld = DomainEvent<
  'PublicationHeld',
  PublicationIds & {
    readonly at: Instant;
    readonly rule: 'quota';
    readonly until: Instant;
    readonly ownerId: string;
    readonly ownerRevision: number;
  }
>;
/** The owner requested that the post be sent again. */
export type PublicationResent = DomainEvent<'PublicationResent', PublicationIds & { readonly at: Instant }>;
/**
 * Readers are to see nothing of this publication any more (D-69). Its messages are deleted, and nothing is sent. Follows
 * {@link PostWithdrawn}, or new messages of a publication that was taken back before.
 */
export type PublicationWithdrawalRequested = DomainEvent<
  'PublicationWithdrawalRequested',
  PublicationIds & {
    readonly ownerId: string;
    readonly platform: Platform;
    readonly at: Instant;
    /** When its post was asked to be taken back. */
    readonly requestedAt: Instant;
    /** The actor who asked. */
    readonly by: string;
    readonly reason: string | null;
    /** True if an attempt is under way, for which the deletion waits. */
    readonly isPublishing: boolean;
  }
>;
/** A message is gone from the network. */
export type PublicationMessageDeleted = DomainEvent<
  'PublicationMessageDeleted',
  PublicationIds & {
    readonly at: Instant;
    readonly messageId: string;
    /** True if the network deleted it now; false if it was not there any more. */
    readonly wasThere: boolean;
  }
>;
/** The rule that delays a change. */
export type ChangeRule = 'retry' | 'platform_limit' | 'needs_attention';
/** A message could not be deleted yet; the next try is at `retryAt` at the earliest. */
export type PublicationWithdrawalPostponed = DomainEvent<
  'PublicationWithdrawalPostponed',
  PublicationIds & {
    readonly at: Instant;
    readonly retryAt: Instant;
    readonly rule: ChangeRule;
    readonly error: PublicationError;
  }
>;
/** Readers see nothing of the publication any more. */
export type PublicationWithdrawn = DomainEvent<'PublicationWithdrawn', PublicationIds & { readonly at: Instant }>;
/** How long messages may take to be deleted before their owner gets a notice, in minutes. */
export const SLOW_WITHDRAWAL_MINUTES = 15;
/** A message could not be deleted, for good or for 24 hours. */
export type PublicationWithdrawalFailed = DomainEvent<
  'PublicationWithdrawalFailed',
  PublicationIds & { readonly at: Instant; readonly error: PublicationError }
>;
/** A person leaves the messages that could not be deleted. */
export type PublicationWithdrawalDropped = DomainEvent<
  'PublicationWithdrawalDropped',
  PublicationIds & {
    readonly at: Instant;
    /** What the publication is from now on: `published` if it had succeeded. */
    readonly status: 'published' | 'dismissed';
  }
>;
/**
 * Readers are to see newer content (D-72). Follows {@link PostEdited}, or the success of an attempt that began before it.
 */
export type PublicationEditRequested = DomainEvent<
  'PublicationEditRequested',
  PublicationIds & {
    readonly ownerId: string;
    readonly platform: Platform;
    readonly at: Instant;
    /** When the edit was asked for. */
    readonly requestedAt: Instant;
    /** The actor who asked. */
    readonly by: string;
    readonly content: Content;
    /** See {@link PostEdited}. */
    readonly releasedRevision: number;
    /** True if readers see nothing yet: the next attempt publishes the content, or the edit follows the attempt. */
    readonly waits: boolean;
  }
>;
/** Some messages could not be edited yet; the next try is at `retryAt` at the earliest. */
export type PublicationEditPostponed = DomainEvent<
  'PublicationEditPostponed',
  PublicationIds & {
    readonly at: Instant;
    readonly revision: number;
    readonly retryAt: Instant;
    readonly rule: ChangeRule;
    readonly error: PublicationError;
    /** The messages that show the content already. */
    readonly done: readonly string[];
  }
>;
/** Readers see the content. */
export type PublicationEdited = DomainEvent<
  'PublicationEdited',
  PublicationIds & {
    readonly at: Instant;
    readonly content: Content;
    /** Revision of the project whose processing produced the text (D-28). */
    readonly projectRevision: string;
    /** See `EditRendering.resultsAfter`. */
    readonly results: Readonly<Record<string, JsonObject>>;
    /** False if no message had to be changed. */
    readonly changed: boolean;
    /** Null once they are erased (D-100). */
    readonly warnings: readonly PublicationWarning[] | null;
  }
>;
/** Readers keep what they see, or a part of it: the messages cannot hold the content, or the network refused it. */
export type PublicationEditFailed = DomainEvent<
  'PublicationEditFailed',
  PublicationIds & {
    readonly at: Instant;
    readonly revision: number;
    readonly error: PublicationError;
    /** See {@link PublicationEditPostponed}. */
    readonly done: readonly string[];
  }
>;
/** A person leaves what readers see as it is, after an edit that failed. */
export type PublicationEditDropped = DomainEvent<'PublicationEditDropped', PublicationIds & { readonly at: Instant }>;
/** A message was pinned. */
export type PublicationPinned = DomainEvent<
  'PublicationPinned',
  PublicationIds & { readonly at: Instant; readonly messageId: string }
>;
/** A message could not be pinned; another try follows at `retryAt`, unless it is null. */
export type PublicationPinFailed = DomainEvent<
  'PublicationPinFailed',
  PublicationIds & {
    readonly at: Instant;
    readonly retryAt: Instant | null;
    readonly rule: ChangeRule;
    readonly error: PublicationError;
  }
>;
/** The publication was cancelled while it was queued, or the owner decided not to send it again. */
export type PublicationDismissed = DomainEvent<'PublicationDismissed', PublicationIds & { readonly at: Instant }>;

/** Events in a publication's stream. */
export type PublicationEvent =
  | PublicationStarted
  | PublicationStepStarted
  | PublicationStepCompleted
  | PublicationSucceeded
  | PublicationPostponed
  | PublicationFailed
  | PublicationInDoubt
  | PublicationFiltered
  | PublicationHeld
  | PublicationResent
  | PublicationDismissed
  | PublicationWithdrawalRequested
  | PublicationMessageDeleted
  | PublicationWithdrawalPostponed
  | PublicationWithdrawn
  | PublicationWithdrawalFailed
  | PublicationWithdrawalDropped
  | PublicationEditRequested
  | PublicationEditPostponed
  | PublicationEdited
  | PublicationEditFailed
  | PublicationEditDropped
  | PublicationPinned
  | PublicationPinFailed
  | PublicationDuplicateFound
  | PublicationDuplicateDismissed;

/** A network's answer may quote the post. */
const QUOTED = ['error.platform_says'] as const;

export const publicationEvents = {
  PublicationStarted: {
    version: 2,
    upcasters: {
      1: (data: Omit<PublicationStarted['data'], 'projectRevision'>) => ({ ...data, projectRevision: null }),
    },
  },
  PublicationStepStarted: { version: 1 },
  PublicationStepCompleted: withContent(['result.unsent']),
  PublicationSucceeded: withContent(['warnings']),
  PublicationPostponed: withContent(QUOTED),
  PublicationFailed: withContent(QUOTED),
  PublicationInDoubt: withContent(QUOTED),
  PublicationFiltered: { version: 1 },
  PublicationHeld: { version: 1 },
  PublicationResent: { version: 1 },
  PublicationDismissed: { version: 1 },
  PublicationWithdrawalRequested: withContent(['reason']),
  PublicationMessageDeleted: { version: 1 },
  PublicationWithdrawalPostponed: withContent(QUOTED),
  PublicationWithdrawn: { version: 1 },
  PublicationWithdrawalFailed: withContent(QUOTED),
  PublicationWithdrawalDropped: { version: 1 },
  PublicationEditRequested: { version: 1 },
  PublicationEditPostponed: withContent(QUOTED),
  PublicationEdited: withContent(['warnings']),
  PublicationEditFailed: withContent(QUOTED),
  PublicationEditDropped: { version: 1 },
  PublicationPinned: { version: 1 },
  PublicationPinFailed: withContent(QUOTED),
  PublicationDuplicateFound: { version: 1 },
  PublicationDuplicateDismissed: { version: 1 },
} satisfies Catalogue & Record<PublicationEvent['type'], unknown>;
