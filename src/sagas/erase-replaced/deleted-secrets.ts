import { channel } from '../../domain/channel/channel.decider.js';
import type { ChannelDeleted } from '../../domain/channel/channel.events.js';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointDeleted, EndpointSecretRotated } from '../../domain/endpoint/endpoint.events.js';
import type { OwnerDeleted, OwnerNoticeChatSet } from '../../domain/owner/owner.events.js';
import type { Processing } from '../../domain/project/processing.js';
import { project } from '../../domain/project/project.decider.js';
import type { ProjectDeleted } from '../../domain/project/project.events.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import type {
  WebhookOutputDeleted,
  WebhookOutputSecretRotated,
} from '../../domain/webhook-output/webhook-output.events.js';
import { findLast } from '../../event-store/aggregate-reader.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { EventStore, StoredEvent } from '../../event-store/port.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { SecretVault, UnconfirmedSecret } from '../../secrets/vault.js';
import type { ErasureKind } from './erase-replaced.js';

/** Returns the id of the API key of a translation service. @param processing validated by the management API */
export const translationKeyOf = (processing: unknown): string | undefined =>
  (processing as Processing | undefined)?.translation?.api_key_id;

/** Finds the id of the bot token of an owner's notice chat, which the owner's state does not contain. */
export const findNoticeSecret = async (
  { store, codec }: AggregateStore,
  stream: string,
  revision: bigint,
): Promise<string | undefined> => {
  const isOfChat = ({ type }: StoredEvent) => type === 'OwnerNoticeChatSet' || type === 'OwnerNoticeChatRemoved';
  const last = await findLast(store, stream, isOfChat, revision);
  return last?.type === 'OwnerNoticeChatSet' ? codec.decode<OwnerNoticeChatSet>(last).data.secretId : undefined;
};

/** Events that delete a resource with its secrets. */
export type Deletion = ChannelDeleted | ProjectDeleted | EndpointDeleted | OwnerDeleted | WebhookOutputDeleted;

/** Types of {@link Deletion}. */
export const DELETIONS = [
  'ChannelDeleted',
  'ProjectDeleted',
  'EndpointDeleted',
  'OwnerDeleted',
  'WebhookOutputDeleted',
] as const;

/** Finds the secrets of a deleted resource (D-56), including former signing secrets, which may still be valid. */
export const findDeletedSecrets = async (
  aggregates: AggregateStore,
  event: RecordedEventOf<Deletion>,
): Promise<readonly string[]> => {
  switch (event.type) {
    case 'ChannelDeleted': {
      const { state } = await aggregates.loadAggregate(channel, event.data.channelId);
      return listKnown(state?.credentialsId);
    }
    case 'ProjectDeleted': {
      const { state } = await aggregates.loadAggregate(project, event.data.projectId);
      return listKnown(translationKeyOf(state?.processing));
    }
    case 'EndpointDeleted': {
      const { state } = await aggregates.loadAggregate(endpoint, event.data.endpointId);
      return [...listKnown(state?.signingSecretId), ...(await findFormerSigningSecrets(aggregates, event.stream))];
    }
    case 'WebhookOutputDeleted': {
      const { state } = await aggregates.loadAggregate(webhookOutput, event.data.outputId);
      return [...listKnown(state?.signingSecretId), ...(await findFormerSigningSecrets(aggregates, event.stream))];
    }
    case 'OwnerDeleted':
      return listKnown(await findNoticeSecret(aggregates, event.stream, event.revision));
  }
};

const listKnown = (secretId: string | undefined): readonly string[] => (secretId === undefined ? [] : [secretId]);

const findFormerSigningSecrets = async (
  { store, codec }: AggregateStore,
  stream: string,
): Promise<readonly string[]> => {
  const rotated = (await store.readStream(stream)).filter(
    ({ type }) => type === 'EndpointSecretRotated' || type === 'WebhookOutputSecretRotated',
  );
  return rotated.map(
    (event) => codec.decode<EndpointSecretRotated | WebhookOutputSecretRotated>(event).data.previousSecretId,
  );
};

/**
 * Erases secrets that no event names, because their command was rejected or interrupted. A secret is stored with the
 * stream that should name it, and checked an hour later, when the command can no longer be running.
 */
export const unnamedSecrets = (vault: SecretVault, store: EventStore): ErasureKind<UnconfirmedSecret> => ({
  name: 'secrets',
  findDue: (limit) => vault.findUnconfirmed(limit),
  async handle(secret) {
    const { id, stream } = secret;
    const isNamed = stream !== null && (await findLast(store, stream, ({ data }) => data.includes(id))) !== null;
    await (isNamed ? vault.confirm(secret) : vault.eraseUnconfirmed(secret));
  },
  postpone: (secret) => vault.postponeCheck(secret),
});
