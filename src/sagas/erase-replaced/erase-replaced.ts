import type { Pool } from 'pg';
import { channel } from '../../domain/channel/channel.decider.js';
import type { ChannelCredentialsReplaced } from '../../domain/channel/channel.events.js';
import type { EndpointSecretRotated } from '../../domain/endpoint/endpoint.events.js';
import type { OwnerNoticeChatRemoved, OwnerNoticeChatSet } from '../../domain/owner/owner.events.js';
import type { Processing } from '../../domain/project/processing.js';
import { project } from '../../domain/project/project.decider.js';
import type { ProjectProcessingChanged } from '../../domain/project/project.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import type { Reaction } from '../engine/event-saga.js';

/** Events that replace a secret, or remove it. Each names the new one, or the former one too. */
type Replacement =
  | ChannelCredentialsReplaced
  | EndpointSecretRotated
  | ProjectProcessingChanged
  | OwnerNoticeChatSet
  | OwnerNoticeChatRemoved;

/** A secret that nothing needs from a moment on. */
interface Replaced {
  readonly secretId: string;
  /** End of the overlap in which the former secret is still valid (D-40); 0: it is not valid any more. */
  readonly validUntil: Instant;
}

/** Time in ms that attempts and requests under way have to end with what they have read. */
const GRACE_MS = 15_000;

/**
 * Notes secrets that were replaced or removed in `ops_erasure`, from which {@link DueErasures} erases them when they are
 * due (D-56). A repeated event notes its secret once more, which erases nothing else: ids of secrets are never used again.
 */
export const eraseReplaced = (aggregates: AggregateStore, pool: Pool): Reaction<Replacement> => ({
  name: 'erase-replaced',
  types: [
    ...(['ChannelCredentialsReplaced', 'EndpointSecretRotated', 'ProjectProcessingChanged'] as const),
    ...(['OwnerNoticeChatSet', 'OwnerNoticeChatRemoved'] as const),
  ],
  startsAt: 'beginning',

  async react(event) {
    const replaced = await findReplaced(aggregates, event);
    if (!replaced) return;
    await pool.query(
      `insert into ops_erasure (secret_id, due_at)
       values ($1, greatest(clock_timestamp() + $2 * interval '1 ms', to_timestamp($3::float8 / 1000)))
       on conflict (secret_id) do nothing`,
      [replaced.secretId, GRACE_MS, replaced.validUntil],
    );
  },
});

/** Finds the secret that an event replaced: the one that the aggregate had before it. @returns null if there was none */
const findReplaced = async (
  aggregates: AggregateStore,
  event: RecordedEventOf<Replacement>,
): Promise<Replaced | null> => {
  const before = event.revision - 1n;
  switch (event.type) {
    case 'EndpointSecretRotated':
      return { secretId: event.data.previousSecretId, validUntil: event.data.previousUntil };
    case 'ChannelCredentialsReplaced': {
      const { state } = await aggregates.loadAggregateAt(channel, event.data.channelId, before);
      return differing(state?.credentialsId, event.data.credentialsId);
    }
    case 'ProjectProcessingChanged': {
      const { state } = await aggregates.loadAggregateAt(project, event.data.projectId, before);
      return differing(translationKeyOf(state?.processing), translationKeyOf(event.data.processing));
    }
    case 'OwnerNoticeChatSet':
    case 'OwnerNoticeChatRemoved': {
      const now = event.type === 'OwnerNoticeChatSet' ? event.data.secretId : undefined;
      return differing(await findNoticeSecret(aggregates, event.stream, before), now);
    }
  }
};

const differing = (before: string | undefined, now: string | undefined): Replaced | null =>
  before === undefined || before === now ? null : { secretId: before, validUntil: 0 };

// The management API has checked what events hold, so the stored value is a Processing.
const translationKeyOf = (processing: unknown): string | undefined =>
  (processing as Processing | undefined)?.translation?.api_key_id;

/** Finds the secret of an owner's chat for notices as it was at a revision; its id is in the event alone. */
const findNoticeSecret = async (
  { store, codec }: AggregateStore,
  stream: string,
  revision: bigint,
): Promise<string | undefined> => {
  const events = await store.readStream(stream, { direction: 'backwards', from: revision });
  const last = events.find(({ type }) => type === 'OwnerNoticeChatSet' || type === 'OwnerNoticeChatRemoved');
  return last?.type === 'OwnerNoticeChatSet' ? codec.decode<OwnerNoticeChatSet>(last).data.secretId : undefined;
};
