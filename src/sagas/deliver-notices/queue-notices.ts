import type { NoticeRaised } from '../../domain/notice/notice.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { FollowsLog } from '../engine/follows-log.js';
import { NoticeQueue } from './notice-queue.js';

/** Queues each raised notice for delivery. A repeated event changes nothing until a day after the delivery. */
@FollowsLog<NoticeRaised>({ name: 'queue-notices', types: ['NoticeRaised'], startsAt: 'now' })
export class QueueNotices {
  constructor(private readonly queue: NoticeQueue) {}

  react({ data }: RecordedEventOf<NoticeRaised>): Promise<void> {
    return this.queue.add(data);
  }
}
