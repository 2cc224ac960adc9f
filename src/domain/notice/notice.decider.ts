import type { Decider } from '../../kernel/decider.js';
import type { NoticeEvent, NoticeRaised } from './notice.events.js';

/** What can be asked of a notice. */
export type NoticeCommand = { readonly type: 'RaiseNotice' } & NoticeRaised['data'];

/** True once it was raised. */
export type NoticeState = boolean;

/** Something that an owner is told of once, in a stream of its own: its delivery may take its time. */
export const notice: Decider<NoticeCommand, NoticeState, NoticeEvent> = {
  category: 'notice',
  initial: false,

  decide({ type: _, ...data }, isRaised) {
    return isRaised ? [] : [{ type: 'NoticeRaised', data }];
  },

  evolve: () => true,
};
