import type { Instant } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import { reject } from '../../kernel/result.js';
import { STATE_MESSAGES } from '../messages.js';
import {
  DEFAULT_LOCALE,
  type Locale,
  type OwnerEvent,
  type OwnerNoticeChatSet,
  type OwnerRegistered,
  type Plan,
} from './owner.events.js';

export type OwnerCommand =
  | ({ readonly type: 'RegisterOwner'; readonly locale?: Locale } & OwnerRegistered['data'])
  | {
      readonly type: 'ChangeOwner';
      readonly ownerId: string;
      readonly name?: string;
      readonly plan?: Plan;
      readonly locale?: Locale;
    }
  | {
      readonly type: 'RotateOwnerKey';
      readonly ownerId: string;
      readonly keyHash: string;
      /** How long the present key also works; absent without an overlap. */
      readonly previousUntil?: Instant;
    }
  | ({ readonly type: 'SetNoticeChat' } & OwnerNoticeChatSet['data'])
  | { readonly type: 'RemoveNoticeChat'; readonly ownerId: string }
  | { readonly type: 'AddPostPack'; readonly ownerId: string; readonly posts: number }
  | { readonly type: 'DeleteOwner'; readonly ownerId: string }
  /** Records that keys were erased, also those of a deleted owner. Months that were recorded before are left out. */
  | { readonly type: 'RecordErasedContent'; readonly ownerId: string; readonly months: readonly string[] | null };

/** State of an owner; null if it does not exist. */
export type OwnerState =
  | null
  | (Omit<OwnerRegistered['data'], 'ownerId'> & {
      readonly locale: Locale;
      readonly hasNoticeChat: boolean;
      /** Total number of posts in all packs bought so far, used or not (D-18). */
      readonly packPosts: number;
      /** True if the owner was deleted: every command is then rejected as if the owner did not exist. */
      readonly deleted: boolean;
      /** Months whose content was erased; null for all. */
      readonly erasedMonths: readonly string[] | null;
    });

/** A customer with a plan, a key, post packs and a notice chat. */
export const owner: Decider<OwnerCommand, OwnerState, OwnerEvent, 'not_found' | 'already_exists'> = {
  category: 'owner',
  initial: null,
  snapshotVersion: 4,

  ownerOf: (state, id) => (state ? id : null),

  decide(command, state) {
    const { ownerId } = command;
    if (command.type === 'RegisterOwner') {
      const { name, plan, keyHash, locale = DEFAULT_LOCALE } = command;
      if (state) return reject('already_exists', STATE_MESSAGES.alreadyExists({ what: 'owner' }));
      const registered: OwnerEvent = { type: 'OwnerRegistered', data: { ownerId, name, plan, keyHash } };
      if (locale === DEFAULT_LOCALE) return [registered];
      return [registered, { type: 'OwnerLocaleChanged', data: { ownerId, locale } }];
    }
    if (state && command.type === 'RecordErasedContent') {
      const { erasedMonths: erased } = state;
      if (erased === null) return [];
      const months = command.months && command.months.filter((month) => !erased.includes(month));
      return months?.length === 0 ? [] : [{ type: 'OwnerContentErased', data: { ownerId, months } }];
    }
    if (!state || state.deleted) return reject('not_found', RESOURCE_MESSAGES.notFound({ what: 'owner' }));
    switch (command.type) {
      case 'ChangeOwner': {
        const { name, plan, locale } = command;
        const events: OwnerEvent[] = [];
        if (name !== undefined && name !== state.name) events.push({ type: 'OwnerRenamed', data: { ownerId, name } });
        if (plan !== undefined && plan !== state.plan)
          events.push({ type: 'OwnerPlanChanged', data: { ownerId, plan } });
        if (locale !== undefined && locale !== state.locale)
          events.push({ type: 'OwnerLocaleChanged', data: { ownerId, locale } });
        return events;
      }
      case 'RotateOwnerKey': {
        const { keyHash, previousUntil } = command;
        const overlap = previousUntil === undefined ? {} : { previousHash: state.keyHash, previousUntil };
        return [{ type: 'OwnerKeyRotated', data: { ownerId, keyHash, ...overlap } }];
      }
      case 'SetNoticeChat':
        return [{ type: 'OwnerNoticeChatSet', data: { ownerId, chatId: command.chatId, secretId: command.secretId } }];
      case 'RemoveNoticeChat':
        return state.hasNoticeChat ? [{ type: 'OwnerNoticeChatRemoved', data: { ownerId } }] : [];
      case 'AddPostPack':
        return [{ type: 'PostPackAdded', data: { ownerId, posts: command.posts } }];
      case 'DeleteOwner':
        return [{ type: 'OwnerDeleted', data: { ownerId } }];
      case 'RecordErasedContent':
        return []; // handled above
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'OwnerRegistered') {
      const { name, plan, keyHash } = event.data;
      const none = { hasNoticeChat: false, packPosts: 0, deleted: false, erasedMonths: [] };
      return { name, plan, keyHash, locale: DEFAULT_LOCALE, ...none };
    }
    if (!state) return state;
    switch (event.type) {
      case 'OwnerRenamed':
        return { ...state, name: event.data.name };
      case 'OwnerPlanChanged':
        return { ...state, plan: event.data.plan };
      case 'OwnerKeyRotated':
        return { ...state, keyHash: event.data.keyHash };
      case 'OwnerLocaleChanged':
        return { ...state, locale: event.data.locale };
      case 'OwnerNoticeChatSet':
        return { ...state, hasNoticeChat: true };
      case 'OwnerNoticeChatRemoved':
        return { ...state, hasNoticeChat: false };
      case 'PostPackAdded':
        return { ...state, packPosts: state.packPosts + event.data.posts };
      case 'OwnerDeleted':
        return { ...state, deleted: true };
      case 'OwnerContentErased': {
        const { months } = event.data;
        return { ...state, erasedMonths: state.erasedMonths && months && [...state.erasedMonths, ...months] };
      }
      default:
        return assertNever(event);
    }
  },
};
