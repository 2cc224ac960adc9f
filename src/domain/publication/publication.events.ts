import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import type { JsonObject } from '../../kernel/json.js';

/** How a failed publication is told (D-35); the same fields as a publisher's error. */
export interface PublicationError {
  readonly code: string;
  readonly category: string;
  readonly source: string;
  readonly message: string;
  readonly platform_says?: string;
}

/** A degradation (D-22). */
export interface PublicationWarning {
  readonly code: string;
  readonly message: string;
}

/**
 * What puts an attempt off (D-36). Only `retry` counts as a failed attempt (D-20); `interrupted` is an attempt that ended
 * with its process before anything that readers see was begun.
 */
export type PostponeRule = 'retry' | 'platform_limit' | 'needs_attention' | 'interrupted';

interface Which {
  readonly publicationId: string;
  readonly postId: string;
  readonly channelId: string;
}

/**
 * Claim and fence in one: who appends it may send. `sending` names the visible step that is about to go; null where
 * nothing that readers see has been begun, so that a crash leaves no doubt.
 */
export type PublicationStarted = DomainEvent<
  'PublicationStarted',
  Which & {
    readonly attempt: number;
    readonly worker: string;
    readonly sending: string | null;
    readonly at: Instant;
    /** Revision of the project whose processing made the text; null: there is no text yet (D-28). */
    readonly projectRevision: string | null;
  }
>;
/** The visible step `sending` is about to go. */
export type PublicationStepStarted = DomainEvent<
  'PublicationStepStarted',
  Which & { readonly attempt: number; readonly sending: string }
>;
/** A step is done; a retry resumes after it. `sending` names the visible step that follows at once, if one does. */
export type PublicationStepCompleted = DomainEvent<
  'PublicationStepCompleted',
  Which & {
    readonly attempt: number;
    readonly step: string;
    readonly result: JsonObject;
    readonly messageIds: readonly string[];
    readonly urls: readonly string[];
    readonly sending: string | null;
  }
>;
/** Readers can see it. `messageIds` and `urls` are those of all steps. */
export type PublicationSucceeded = DomainEvent<
  'PublicationSucceeded',
  Which & {
    readonly attempt: number;
    readonly at: Instant;
    readonly messageIds: readonly string[];
    readonly urls: readonly string[];
    readonly warnings: readonly PublicationWarning[];
  }
>;
/** The attempt did not go through; the next one not before `retryAt`. */
export type PublicationPostponed = DomainEvent<
  'PublicationPostponed',
  Which & {
    readonly attempt: number;
    readonly at: Instant;
    readonly retryAt: Instant;
    readonly rule: PostponeRule;
    readonly error: PublicationError;
  }
>;
/** Failed for good; the next in the channel goes (D-20). */
export type PublicationFailed = DomainEvent<
  'PublicationFailed',
  Which & { readonly attempt: number; readonly at: Instant; readonly error: PublicationError }
>;
/** Nobody can say whether readers see it; not sent again by itself (D-25). */
export type PublicationInDoubt = DomainEvent<
  'PublicationInDoubt',
  Which & { readonly attempt: number; readonly at: Instant; readonly step: string; readonly error: PublicationError }
>;
/** The project's filters, or an empty remainder, kept it from this target (D-22, D-28). */
export type PublicationFiltered = DomainEvent<
  'PublicationFiltered',
  Which & { readonly at: Instant; readonly reason: PublicationWarning }
>;
/**
 * None of the owner's posts of the month is left (D-46): it waits until the next month, or until the owner's plan or post
 * packs change. `ownerRevision`: of the owner's stream as it was judged by; what came later counts.
 */
export type PublicationHeld = DomainEvent<
  'PublicationHeld',
  Which & {
    readonly at: Instant;
    readonly rule: 'quota';
    readonly until: Instant;
    readonly ownerId: string;
    readonly ownerRevision: number;
  }
>;
/** The owner wants it sent again. */
export type PublicationResent = DomainEvent<'PublicationResent', Which & { readonly at: Instant }>;
/** The owner lets it be. */
export type PublicationDismissed = DomainEvent<'PublicationDismissed', Which & { readonly at: Instant }>;

/** What a publication’s stream holds. */
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
  | PublicationDismissed;

/** Versions of these events. */
export const publicationEvents = {
  PublicationStarted: {
    version: 2,
    upcasters: {
      1: (data: Omit<PublicationStarted['data'], 'projectRevision'>) => ({ ...data, projectRevision: null }),
    },
  },
  PublicationStepStarted: { version: 1 },
  PublicationStepCompleted: { version: 1 },
  PublicationSucceeded: { version: 1 },
  PublicationPostponed: { version: 1 },
  PublicationFailed: { version: 1 },
  PublicationInDoubt: { version: 1 },
  PublicationFiltered: { version: 1 },
  PublicationHeld: { version: 1 },
  PublicationResent: { version: 1 },
  PublicationDismissed: { version: 1 },
} satisfies Catalogue & Record<PublicationEvent['type'], unknown>;
