import { channel } from '../../domain/channel/channel.decider.js';
import type { ChannelCredentialsReplaced, ChannelDeleted } from '../../domain/channel/channel.events.js';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointDeleted, EndpointSecretRotated } from '../../domain/endpoint/endpoint.events.js';
import type { MediaDeleted } from '../../domain/media/media.events.js';
import type { OwnerDeleted, OwnerNoticeChatRemoved, OwnerNoticeChatSet } from '../../domain/owner/owner.events.js';
import type { Processing } from '../../domain/project/processing.js';
import { project } from '../../domain/project/project.decider.js';
import type { ProjectDeleted, ProjectProcessingChanged } from '../../domain/project/project.events.js';
import type { TranslationEvent } from '../../domain/translation/translation.events.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import type {
  WebhookOutputDeleted,
  WebhookOutputSecretRotated,
} from '../../domain/webhook-output/webhook-output.events.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { findLast } from '../../event-store/aggregate-reader.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { EventStore, StoredEvent } from '../../event-store/port.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/result.js';
import type { SecretVault, UnconfirmedSecret } from '../../secrets/vault.js';
import { FollowsLog } from '../engine/event-saga.js';
import { isOutage } from '../engine/run-under-lease.js';

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

/** Events that replace or remove a secret. Only rotations contain the former secret's id. */
type Replacement =
  | ChannelCredentialsReplaced
  | EndpointSecretRotated
  | WebhookOutputSecretRotated
  | ProjectProcessingChanged
  | OwnerNoticeChatSet
  | OwnerNoticeChatRemoved;

/** A secret that is no longer needed after a certain time. */
interface Replaced {
  readonly secretId: string;
  /** End of the overlap in which the former secret is still valid (D-40); 0 if it is no longer valid. */
  readonly validUntil: Instant;
}

/** How long running attempts and requests may still use the values that they have read, in ms. */
const GRACE_MS = 15_000;

/**
 * Notes replaced, removed and deleted secrets in `ops_erasure`, for {@link DueErasures} to erase, and deleted files for
 * the saga `sweep-uploads` (D-56). A repeated
 * event notes its secret again, which is harmless, because ids of secrets are never reused.
 */
@FollowsLog<Replacement | Deletion | MediaDeleted>({
  name: 'erase-replaced',
  types: [
    'ChannelCredentialsReplaced',
    'EndpointSecretRotated',
    'ProjectProcessingChanged',
    'OwnerNoticeChatSet',
    'OwnerNoticeChatRemoved',
    'WebhookOutputSecretRotated',
    'MediaDeleted',
    ...DELETIONS,
  ],
  startsAt: 'beginning',
  lanes: 'owner',
})
export class EraseReplaced {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly notes: ErasureNotes,
  ) {}

  async react(event: RecordedEventOf<Replacement | Deletion | MediaDeleted>): Promise<void> {
    if (event.type === 'MediaDeleted') return this.notes.add('upload', event.data.file, { inMs: 0 });
    for (const { secretId, validUntil } of await findErased(this.aggregates, event))
      await this.notes.add('secret', secretId, { inMs: GRACE_MS, notBefore: validUntil });
  }
}

/** Finds the secrets that are no longer needed after an event. */
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

/** Finds the aggregate's secret before the event; null if there was none. */
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

/** A kind of data to erase. Every function may be called again for the same item. */
export interface ErasureKind<T> {
  /** Plural, for the log. */
  readonly name: string;
  /** Lists the due items, longest overdue first. */
  readonly findDue: (limit: number) => Promise<readonly T[]>;
  readonly handle: (item: T) => Promise<void>;
  /** Postpones an item that cannot be handled. */
  readonly postpone: (item: T) => Promise<void>;
}

/** Erases a batch of due items. @returns true if there may be more @throws the error of an outage */
export const eraseDue = async <T>(
  work: ErasureKind<T>,
  batchSize: number,
  signal: AbortSignal,
  log: Log,
): Promise<boolean> => {
  const due = await work.findDue(batchSize);
  for (const item of due) {
    if (signal.aborted) return false;
    try {
      await work.handle(item);
    } catch (error) {
      if (isOutage(error)) throw error;
      log.warn({ reason: reasonOf(error), of: work.name }, 'failed to erase a due item; it will be retried later');
      await work.postpone(item);
    }
  }
  return due.length === batchSize;
};

/** Delay, in ms, before the first check of a stored translation: most posts have been published by then. */
const FIRST_LOOK_MS = 60_000;

/** Notes the streams of translations, which {@link DueErasures} deletes once their posts are published (D-56). */
@FollowsLog<TranslationEvent>({
  name: 'note-translations',
  types: ['TranslationStored', 'TranslationAbandoned'],
  startsAt: 'beginning',
  lanes: 'stream',
})
export class NoteTranslations {
  constructor(private readonly notes: ErasureNotes) {}

  react({ stream }: RecordedEventOf<TranslationEvent>): Promise<void> {
    return this.notes.add('translation', stream, { inMs: FIRST_LOOK_MS });
  }
}
