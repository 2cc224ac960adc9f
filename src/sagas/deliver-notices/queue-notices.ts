import type { NoticeRaised } from '../../domain/notice/notice.events.js';
import type { Reaction } from '../engine/event-saga.js';
import type { NoticeQueue } from './notice-queue.js';

/** Queues each notice that was raised for its delivery. A repeated event changes nothing, also after the delivery. */
export const queueNotices = (queue: NoticeQueue): Reaction<NoticeRaised> => ({
  name: 'queue-notices',
  types: ['NoticeRaised'],
  startsAt: 'now',
  react: ({ data }) => queue.add(data),
});
