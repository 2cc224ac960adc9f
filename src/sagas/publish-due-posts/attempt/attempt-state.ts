import type { PublicationState } from '../../../domain/publication/publication.decider.js';
import type { LoadedAggregate } from '../../../event-store/aggregate-store.js';
import type { Instant } from '../../../kernel/clock.js';
import {
  gatewayError,
  type LookUpResult,
  type PublishError,
  type Rendering,
  type SendContext,
  type Step,
  type StepOutcome,
  type Warning,
} from '../../../platforms/publisher.js';
import type { ProcessedPost } from '../../../processing/process-post.js';
import { UnreadablePost } from '../../../projections/posts/post-payloads.js';
import type { PreparedMedia } from '../inputs/shared-inputs.js';
import { ATTEMPT_MESSAGES } from '../messages.js';
import type { Render } from './publication-attempt.js';

/** Error for an attempt whose process has stopped. @param step visible step in progress; null if there was none */
export const interruptedError = (step: string | null): PublishError =>
  gatewayError(
    'interrupted',
    'internal',
    step === null ? ATTEMPT_MESSAGES.endedBeforeSending : ATTEMPT_MESSAGES.endedWhileSending({ step }),
  );

export const leaseLostError = gatewayError('interrupted', 'internal', ATTEMPT_MESSAGES.leaseLost);

/** The post was taken back during the attempt. */
export const withdrawnError = gatewayError('withdrawn', 'internal', ATTEMPT_MESSAGES.withdrawn);

/** The channel's credentials were erased, or were not restored. */
export const credentialsMissingError = gatewayError(
  'credentials_missing',
  'credentials',
  ATTEMPT_MESSAGES.credentialsMissing,
);

/** The channel's credentials cannot be decrypted. */
export const credentialsUnreadableError = gatewayError(
  'credentials_unreadable',
  'credentials',
  ATTEMPT_MESSAGES.credentialsUnreadable,
);

export const channelMovedError = gatewayError('channel_moved', 'channel', ATTEMPT_MESSAGES.channelMoved);

/** The gateway has a bug; the log has the cause. */
export const internalError = gatewayError('internal_error', 'internal', ATTEMPT_MESSAGES.internal);

/** The publication's events cannot be read, so it is unknown what was sent. */
export const historyUnreadableError = gatewayError(
  'history_unreadable',
  'internal',
  ATTEMPT_MESSAGES.historyUnreadable,
);

const postUnreadableError = gatewayError('post_unreadable', 'internal', ATTEMPT_MESSAGES.postUnreadable);

/**
 * Error for an attempt that ended with an exception. Only the log has the cause, because it may contain secrets.
 * @param sending visible step in progress; null if there was none
 */
export const unexpectedError = (thrown: unknown, sending: string | null): PublishError => {
  if (sending !== null)
    return gatewayError('internal_error', 'internal', ATTEMPT_MESSAGES.internalWhileSending({ step: sending }));
  return thrown instanceof UnreadablePost ? postUnreadableError : internalError;
};

/** A publication's stream as this worker last read or wrote it. */
export type LoadedPublication = LoadedAggregate<PublicationState>;

export type Credentials = SendContext['credentials'];

/** Credentials as read from the vault: they may be missing or undecryptable. */
export type CredentialsRead =
  | { readonly kind: 'read'; readonly credentials: Credentials }
  | { readonly kind: 'unusable'; readonly error: PublishError };
export type StepDone = Extract<StepOutcome, { kind: 'done' }>;

/** The outcome of an attempt. Each kind is recorded as one event, which ends the attempt. */
export type AttemptOutcome =
  /** All steps are done; `messageIds` and `urls` come from the last step. */
  | ({ readonly kind: 'done'; readonly warnings: readonly Warning[] } & Pick<StepDone, 'messageIds' | 'urls'>)
  | Exclude<StepOutcome, { kind: 'done' | 'in_doubt' }>
  /** Nothing is in doubt and nothing failed: the next attempt can start at once. */
  | { readonly kind: 'interrupted'; readonly error: PublishError }
  /** Delivery of a visible step could not be confirmed (D-25). */
  | { readonly kind: 'unresolved'; readonly error: PublishError }
  /** The project's filters or the network's limits leave nothing to send. */
  | { readonly kind: 'filtered'; readonly reason: Warning }
  /** The owner was deleted: nothing more is sent on its behalf. */
  | { readonly kind: 'cancelled' }
  /** The owner's monthly quota is used up (D-18). */
  | { readonly kind: 'held'; readonly until: Instant; readonly ownerRevision: number };

/** How an unconfirmed send was resolved. */
export type Resolution =
  | Extract<LookUpResult, { kind: 'sent' | 'not_sent' }>
  /** Neither a lookup nor the network's idempotency key resolved it. */
  | { readonly kind: 'unresolved' }
  /** This process is shutting down or has lost the channel: the worker that takes over the attempt resolves it. */
  | { readonly kind: 'abandoned' };

interface InState<K extends string> {
  readonly kind: K;
  readonly publication: LoadedPublication;
}

/** The stream has an open attempt whose worker is gone. */
export type Orphaned = InState<'orphaned'>;

/** The post could not be prepared for its network: the attempt fails without a call. */
export interface Unprepared extends InState<'unprepared'> {
  readonly error: PublishError;
  readonly afterMs: number | null;
  /** True if this was the last attempt. */
  readonly isFinal: boolean;
}

/** The post is rendered; no attempt is open in the stream. */
export interface Prepared extends InState<'prepared'> {
  readonly rendering: Rendering;
}

/** The next step may be called; if it is visible, the stream already names it. */
export interface Sending extends InState<'sending'> {
  readonly rendering: Rendering;
  readonly step: Step;
  readonly credentials: Credentials;
}

/** The outcome of a visible step is unknown. The channel remains held. */
export interface Unconfirmed extends InState<'unconfirmed'> {
  readonly step: Step;
  readonly credentials: Credentials;
  readonly error: PublishError;
  /** True if another worker sent the step. */
  readonly isOrphaned: boolean;
}

/** The network has confirmed a step; its result is not recorded yet. */
export interface StepConfirmed extends InState<'step_confirmed'> {
  readonly step: Step;
  readonly done: StepDone;
  /** Continues with the next step, or ends an orphaned attempt so that a new one sends the rest. */
  readonly next: Omit<Sending, 'kind' | 'publication'> | { readonly interrupt: PublishError };
}

/** The next step is waiting for the network's rate limits; the stream does not name a step. */
export interface AwaitingPace extends InState<'awaiting_pace'> {
  readonly next: Omit<Sending, 'kind' | 'publication'>;
}

/** The outcome is known; it is not recorded yet. */
export interface Concluding extends InState<'concluding'> {
  readonly outcome: AttemptOutcome;
}

/** The outcome is recorded. */
export type Ended = InState<'ended'>;

/** This worker must not continue: it is shutting down, has lost the channel, or another worker was faster. */
export type Released = InState<'released'>;

/**
 * State of an attempt to send one publication. A transition appends at most one event to the publication's stream, so a
 * crash leaves the stream as one of these states left it (docs/publication-attempt.md).
 */
export type AttemptState =
  | Orphaned
  | Unprepared
  | Prepared
  | Sending
  | Unconfirmed
  | StepConfirmed
  | AwaitingPace
  | Concluding
  | Ended
  | Released;

export type FinalState = Ended | Released;

/** True if the attempt needs no more work from this process. */
export const isFinal = (state: AttemptState): state is FinalState =>
  state.kind === 'ended' || state.kind === 'released';

/** True if the state only records a response that cannot be requested again; recording is retried once. */
export const onlyRecords = ({ kind }: AttemptState): boolean => kind === 'step_confirmed' || kind === 'concluding';

/** Returns the first step of a rendering without a recorded result. */
export const findNextStep = ({ steps }: Rendering, results: SendContext['results']): Step | undefined =>
  steps.find(({ name }) => !(name in results));

/** Returns the name of a visible step; null for any other step. */
export const visibleStepName = (step: Step | undefined): string | null => (step?.visible ? step.name : null);

export const conclude = ({ publication }: { publication: LoadedPublication }, outcome: AttemptOutcome): Concluding => ({
  kind: 'concluding',
  publication,
  outcome,
});

export const release = ({ publication }: { publication: LoadedPublication }): Released => ({
  kind: 'released',
  publication,
});

/** Returns the first state of an attempt. @param render returns null if the publisher failed to render the post */
export const beginAttempt = (
  publication: LoadedPublication,
  processed: ProcessedPost,
  render: () => Rendering | null,
): Orphaned | Unprepared | Prepared | Concluding => {
  if (publication.state.status === 'publishing') return { kind: 'orphaned', publication };
  if (processed.kind === 'filtered') return conclude({ publication }, processed);
  if (processed.kind === 'wait') {
    const { error, afterMs } = processed;
    return { kind: 'unprepared', publication, error, afterMs, isFinal: false };
  }
  const rendering = render();
  // A post that cannot be rendered must not hold its channel forever.
  if (rendering === null)
    return { kind: 'unprepared', publication, error: internalError, afterMs: null, isFinal: false };
  if (rendering.steps.length > 0) return { kind: 'prepared', publication, rendering };
  return conclude({ publication }, { kind: 'filtered', reason: emptyReason(rendering) });
};

/** Returns the reason why a rendering has no steps, preferably the publisher's own. */
const emptyReason = ({ warnings }: Rendering): Warning =>
  warnings.find(({ code }) => code === 'nothing_to_send') ?? {
    code: 'nothing_to_send',
    message: ATTEMPT_MESSAGES.nothingToSend,
  };

/** Returns the state once the media are ready. @param media null if the post needs none */
export const afterMedia = (from: Prepared, media: PreparedMedia | null): Prepared | Unprepared | Released => {
  if (media?.kind === 'abandoned') return release(from);
  if (media?.kind !== 'failed') return from;
  const { error, isFinal } = media;
  return { kind: 'unprepared', publication: from.publication, error, afterMs: null, isFinal };
};

/** Returns the state once the start of an attempt is recorded. */
export const afterStart = (
  from: Prepared,
  started: LoadedPublication | null,
  read: CredentialsRead,
): Sending | Concluding | Released => {
  if (started === null) return release(from);
  const at = { publication: started };
  if (read.kind === 'unusable') return conclude(at, { kind: 'needs_attention', error: read.error });
  const { credentials } = read;
  const { rendering } = from;
  const step = findNextStep(rendering, started.state.results);
  if (step) return { kind: 'sending', rendering, step, credentials, ...at };
  // Earlier attempts have already sent everything.
  return conclude(at, { kind: 'done', messageIds: [], urls: [], warnings: rendering.warnings });
};

/** Returns the state after a step was called. */
export const afterCall = (
  from: Sending,
  outcome: StepOutcome,
  render: Render,
): Unconfirmed | StepConfirmed | Concluding => {
  const { publication, step, credentials } = from;
  if (outcome.kind === 'done') return afterConfirmation(from, outcome, render);
  if (outcome.kind !== 'in_doubt') return conclude(from, outcome);
  return { kind: 'unconfirmed', publication, step, credentials, error: outcome.error, isOrphaned: false };
};

/** Returns the state after an unconfirmed send was resolved, or could not be. */
export const afterResolution = (
  from: Unconfirmed,
  resolution: Resolution,
  render: Render,
): StepConfirmed | Concluding | Released => {
  const { error, isOrphaned } = from;
  switch (resolution.kind) {
    case 'sent':
      return afterConfirmation(from, resolution.outcome, render);
    case 'not_sent':
      return conclude(
        from,
        isOrphaned ? { kind: 'interrupted', error } : { kind: 'retry', error, afterMs: null, named: false },
      );
    case 'unresolved':
      return conclude(from, { kind: 'unresolved', error });
    case 'abandoned':
      return release(from);
  }
};

/** Renders the post again: the result of a step may change the steps that follow. */
const afterConfirmation = (from: Sending | Unconfirmed, done: StepDone, render: Render): StepConfirmed | Concluding => {
  const { publication, step, credentials } = from;
  const results = { ...publication.state.results, [step.name]: done.result };
  const rendering = render(results);
  const nextStep = findNextStep(rendering, results);
  const { messageIds, urls } = done;
  if (nextStep === undefined) return conclude(from, { kind: 'done', messageIds, urls, warnings: rendering.warnings });
  // The worker of an orphaned attempt may only have been slow, so a new attempt fences it off before the next step.
  const next =
    from.kind === 'unconfirmed' && from.isOrphaned
      ? { interrupt: from.error }
      : { rendering, step: nextStep, credentials };
  return { kind: 'step_confirmed', publication, step, done, next };
};

/**
 * Returns the next state of an orphaned attempt.
 * @param step visible step in progress; undefined if there was none, or if the rendering no longer contains it
 * @param read null if no visible step was in progress
 */
export const afterOrphanFound = (
  from: Orphaned,
  step: Step | undefined,
  read: CredentialsRead | null,
): Unconfirmed | Concluding => {
  const { publication } = from;
  const { sending } = publication.state;
  const error = interruptedError(sending);
  if (sending === null) return conclude(from, { kind: 'interrupted', error });
  if (!step || read?.kind !== 'read') return conclude(from, { kind: 'unresolved', error });
  return { kind: 'unconfirmed', publication, step, credentials: read.credentials, error, isOrphaned: true };
};

/** Delays after each failure, in ms: five attempts fit into the 15 minutes of D-20. */
const DELAYS_MS = [2_000, 10_000, 50_000, 240_000];
const JITTER = 0.2;

/** Minimum delay when a network asks for a wait, in ms: a wait of 0 must not cause endless calls. */
const SHORTEST_MS = 1_000;

/**
 * Computes the time of the next attempt: after the wait that the network requests or, if there is none, after a delay
 * that grows with each failure. The delay has jitter, so that attempts that failed together do not retry together.
 * @param failures number of earlier failed attempts @param namedMs wait that the network requests; null if none
 */
export const computeRetryAt = (at: Instant, failures: number, namedMs: number | null): Instant => {
  if (namedMs !== null) return at + Math.max(SHORTEST_MS, namedMs);
  const delay = DELAYS_MS[Math.min(failures, DELAYS_MS.length - 1)]!;
  return Math.round(at + delay * (1 - JITTER + 2 * JITTER * Math.random()));
};
