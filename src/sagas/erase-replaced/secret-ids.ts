import type { OwnerNoticeChatSet } from '../../domain/owner/owner.events.js';
import type { Processing } from '../../domain/project/processing.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { StoredEvent } from '../../event-store/port.js';
import { findLast } from '../../event-store/read-backwards.js';

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
