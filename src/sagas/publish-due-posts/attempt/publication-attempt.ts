import type { channel as channelDecider } from '../../../domain/channel/channel.decider.js';
import type { Attention, Remedy } from '../../../domain/channel/channel.events.js';
import { publication as decider } from '../../../domain/publication/publication.decider.js';
import type { Content, PublicationEvent, PublicationInDoubt } from '../../../domain/publication/publication.events.js';
import { type AggregateStore, emptyAggregate } from '../../../event-store/aggregate-store.js';
import type { Clock } from '../../../kernel/clock.js';
import { type Origin, streamOf } from '../../../kernel/events.js';
import { newUuid } from '../../../kernel/ids.js';
import type { Log } from '../../../kernel/log.js';
import type { PublishPayload } from '../../../payload/payload.js';
import type { PlatformChannel, Publisher, PublishError, Rendering, SendContext } from '../../../platforms/publisher.js';
import type { ProcessedPost } from '../../../processing/process-post.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import { type SecretVault, UnreadableSecret } from '../../../secrets/vault.js';
import type { ShutdownSignals } from '../../engine/run-under-lease.js';
import type { RefusedMedia } from '../inputs/shared-inputs.js';
import {
  credentialsMissingError,
  type CredentialsRead,
  credentialsUnreadableError,
  historyUnreadableError,
  type LoadedPublication,
} from './attempt-state.js';

/** A connected channel, folded from its stream. */
export type Channel = NonNullable<ReturnType<typeof channelDecider.evolve>>;

/** Renders a post for its network. Results of completed steps may change the steps that follow. */
export type Render = (results: SendContext['results']) => Rendering;

/** A publication that this process may work on because it holds the channel's lease. */
export interface ClaimedPublication {
  readonly row: ScheduledPublication;
  /** Id of the worker under which this process holds the channel's lease. */
  readonly worker: string;
  readonly signals: ShutdownSignals;
  /** The origin of the attempt's events. */
  readonly origin: Origin;
}

/** The immutable facts of an attempt. */
export interface PublicationAttempt extends ClaimedPublication {
  /** Lets the owner's next publication prepare. Call it before network calls and waits; only the first call counts. */
  readonly endStart: () => void;
  readonly channel: Channel;
  /** How far the system clock was ahead of the monotonic clock when the attempt was prepared, in ms. */
  readonly clockLead: number;
  readonly payload: PublishPayload;
  /** The payload's revision, if the post was edited since its release; otherwise null. */
  readonly content: Content | null;
  readonly ownerId: string;
  readonly publisher: Publisher;
  /** The channel in the form that publishers expect. */
  readonly target: PlatformChannel;
  /** Revision of the project whose processing produced the text (D-28). */
  readonly projectRevision: string;
  readonly render: Render;
  /** Media that cannot be sent, as found during preparation. */
  readonly refusedMedia: RefusedMedia;
}

/** Reads a channel's credentials; logs those that cannot be decrypted. @throws the database's errors */
export const readCredentials = async (
  { vault, log }: { readonly vault: SecretVault; readonly log: Log },
  channelId: string,
  { credentialsId }: Pick<Channel, 'credentialsId'>,
): Promise<CredentialsRead> => {
  try {
    const credentials = await vault.readSecret(credentialsId);
    return credentials ? { kind: 'read', credentials } : { kind: 'unusable', error: credentialsMissingError };
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    log.error({ channel: channelId, reason: error.message }, 'credentials cannot be decrypted');
    return { kind: 'unusable', error: credentialsUnreadableError };
  }
};

/** Returns the renderer of a processed post; a post that is filtered or held back has no steps. */
export const rendererOf = (
  { publisher, target }: Pick<PublicationAttempt, 'publisher' | 'target'>,
  processed: ProcessedPost,
): Render => {
  if (processed.kind !== 'post') return () => EMPTY_RENDERING;
  const { post, warnings } = processed;
  if (warnings.length === 0) return (results) => publisher.render(post, target, results);
  return (results) => {
    const rendering = publisher.render(post, target, results);
    return { ...rendering, warnings: [...warnings, ...rendering.warnings] };
  };
};

const EMPTY_RENDERING: Rendering = { steps: [], warnings: [], textAfterTrim: '', trimmedChars: 0 };

/** Returns why a channel needs attention, based on the error that a post was rejected with (D-26, D-50). */
export const attentionOf = (error: PublishError): Attention => ({
  code: error.code,
  message: error.message,
  platform_says: error.platform_says ?? null,
  remedies: remediesFor(error),
});

/** Lists possible remedies for a refusal, most likely first. */
const remediesFor = ({ source, category }: PublishError): readonly Remedy[] => {
  // The gateway has no credentials to send, so another attempt would not reach the network either.
  if (source === 'gateway') return ['replace_credentials'];
  if (category === 'channel') return ['fix_on_platform', 'retry', 'replace_credentials'];
  return ['replace_credentials', 'fix_on_platform', 'retry'];
};

/** Events after which a publication no longer holds its channel back. */
const OVER: ReadonlySet<string> = new Set<PublicationEvent['type']>([
  'PublicationSucceeded',
  'PublicationFailed',
  'PublicationInDoubt',
  'PublicationFiltered',
  'PublicationDismissed',
]);

/**
 * Ends a publication with unreadable events (D-25): it is in doubt, because the post may have been sent. Bypasses the
 * decider, which needs those events.
 * @returns the known facts of the publication
 * @throws Unavailable
 * @throws WrongExpectedRevision if another worker has appended in the meantime
 */
export const endUnreadable = async (
  aggregates: AggregateStore,
  clock: Clock,
  { row, origin }: ClaimedPublication,
): Promise<LoadedPublication> => {
  const ids = { publicationId: row.publication_id, postId: row.post_id, channelId: row.channel_id };
  const stream = streamOf(decider, ids.publicationId);
  const [last] = await aggregates.store.readStream(stream, { direction: 'backwards', limit: 1 });
  const empty = emptyAggregate(decider);
  const ended = { ...empty, state: { ...empty.state, status: 'in_doubt' as const } };
  if (last && OVER.has(last.type)) return { ...ended, revision: last.revision, position: last.position };
  const at = clock.now();
  const attempt = Math.max(1, row.attempt);
  const event: PublicationInDoubt = {
    type: 'PublicationInDoubt',
    data: { attempt, at, step: 'unknown', error: historyUnreadableError, ...ids },
  };
  const after = { revision: last?.revision ?? -1n, position: last?.position ?? empty.position, hash: '' };
  // Damaged metadata has no hash; the hash chain then restarts here, and auditors can see where.
  try {
    if (last) after.hash = aggregates.codec.readEnvelope(last).hash;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const encoded = await aggregates.encodeEvents(stream, [event], after, { ...origin, commandId: newUuid(), at });
  const { revision, position } = await aggregates.appendWithRetry(stream, after.revision, encoded.events);
  return { ...ended, revision, position, hash: encoded.hash };
};
