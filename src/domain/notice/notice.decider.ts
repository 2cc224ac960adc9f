import type { Decider } from '../../kernel/events.js';
import type { NoticeEvent, NoticeRaised } from './notice.events.js';

export type NoticeCommand = { readonly type: 'RaiseNotice' } & NoticeRaised['data'];

/** True if the notice was raised. */
export type NoticeState = boolean;

/** A notice to an owner. It is raised once and has its own stream, because its delivery may take arbitrarily long. */
export const notice: Decider<NoticeCommand, NoticeState, NoticeEvent> = {
  category: 'notice',
  initial: false,

  decide({ type: _, ...data }, isRaised) {
    return isRaised ? [] : [{ type: 'NoticeRaised', data }];
  },

  evolve: () => true,
};
