import { channel } from '../../domain/channel/channel.decider.js';
import type { ChannelCredentialsReplaced } from '../../domain/channel/channel.events.js';
import type { EndpointSecretRotated } from '../../domain/endpoint/endpoint.events.js';
import type { OwnerNoticeChatRemoved, OwnerNoticeChatSet } from '../../domain/owner/owner.events.js';
import { project } from '../../domain/project/project.decider.js';
import type { ProjectProcessingChanged } from '../../domain/project/project.events.js';
import type { WebhookOutputSecretRotated } from '../../domain/webhook-output/webhook-output.events.js';
import type { ErasureNotes } from '../../erasure/erasure-notes.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import type { Reaction } from '../engine/event-saga.js';
import { type Deletion, DELETIONS, findDeletedSecrets } from './deleted-secrets.js';
import { findNoticeSecret, translationKeyOf } from './secret-ids.js';

/** Events that replace a secret, or remove it. Each names the new one, or the former one too. */
type Replacement =
  | ChannelCredentialsReplaced
  | EndpointSecretRotated
  | WebhookOutputSecretRotated
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
 * Notes secrets that were replaced, removed or deleted with their resource in `ops_erasure`, from which {@link DueErasures}
 * erases them when they are due (D-56). A repeated event notes its secret once more, which erases nothing else: ids of secrets are never used again.
 */
export const eraseReplaced = (aggregates: AggregateStore, notes: ErasureNotes): Reaction<Replacement | Deletion> => ({
  name: 'erase-replaced',
  types: [
    ...(['ChannelCredentialsReplaced', 'EndpointSecretRotated', 'ProjectProcessingChanged'] as const),
    ...(['OwnerNoticeChatSet', 'OwnerNoticeChatRemoved', 'WebhookOutputSecretRotated'] as const),
    ...DELETIONS,
  ],
  startsAt: 'beginning',

  async react(event) {
    for (const { secretId, validUntil } of await findErased(aggregates, event))
      await notes.add('secret', secretId, { inMs: GRACE_MS, notBefore: validUntil });
  },
});

/** Finds the secrets that nothing needs after an event. */
const findErased = async (
  aggregates: AggregateStore,
  event: RecordedEventOf<Replacement | Deletion>,
): Promise<readonly Replaced[]> => {
  switch (event.type) {
    case 'ChannelDeleted':
    case 'ProjectDeleted':
    case 'EndpointDeleted':
    case 'WebhookOutputDeleted':
    case 'OwnerDeleted':
      return (await findDeletedSecrets(aggregates, event)).map((secretId) => ({ secretId, validUntil: 0 }));
    default: {
      const replaced = await findReplaced(aggregates, event);
      return replaced ? [replaced] : [];
    }
  }
};

/** Finds the secret that an event replaced: the one that the aggregate had before it. @returns null if there was none */
const findReplaced = async (
  aggregates: AggregateStore,
  event: RecordedEventOf<Replacement>,
): Promise<Replaced | null> => {
  const before = event.revision - 1n;
  switch (event.type) {
    case 'EndpointSecretRotated':
    case 'WebhookOutputSecretRotated':
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
