import { DEFAULT_LOCALE, type Locale, type OwnerEvent, type Plan } from '../../domain/owner/owner.events.js';
import { iso } from '../../kernel/clock.js';
import { assertNever } from '../../kernel/events.js';
import type { HistoryAggregate } from './history-aggregate.js';

/** The history of an owner. */
export type OwnerHistory = {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** Language of notices. */
  readonly locale: Locale;
  readonly notice_chat: null | { readonly chat_id: string; readonly secret_id: string };
  /** Number of posts in all post packs so far (D-18). */
  readonly pack_posts: number;
  /** When the current key became valid. */
  readonly key_since: string;
  readonly created_at: string;
  readonly deleted_at: string | null;
};

/** Folds owners. */
export const ownerHistory: HistoryAggregate<OwnerHistory, OwnerEvent> = {
  name: 'owner',
  category: 'owner',
  version: 2,

  evolve(state, event) {
    const at = iso(event.at);
    if (event.type === 'OwnerRegistered') {
      const { ownerId: id, name, plan } = event.data;
      const fresh = { notice_chat: null, pack_posts: 0, key_since: at, created_at: at, deleted_at: null };
      return { id, name, plan, locale: DEFAULT_LOCALE, ...fresh };
    }
    if (!state) return state;
    switch (event.type) {
      case 'OwnerRenamed':
        return { ...state, name: event.data.name };
      case 'OwnerPlanChanged':
        return { ...state, plan: event.data.plan };
      case 'OwnerKeyRotated':
        return { ...state, key_since: at };
      case 'OwnerLocaleChanged':
        return { ...state, locale: event.data.locale };
      case 'OwnerNoticeChatSet':
        return { ...state, notice_chat: { chat_id: event.data.chatId, secret_id: event.data.secretId } };
      case 'OwnerNoticeChatRemoved':
        return { ...state, notice_chat: null };
      case 'PostPackAdded':
        return { ...state, pack_posts: state.pack_posts + event.data.posts };
      case 'OwnerDeleted':
        return { ...state, deleted_at: at };
      default:
        return assertNever(event);
    }
  },
};
