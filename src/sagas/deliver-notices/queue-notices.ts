import type { NoticeRaised } from '../../domain/notice/notice.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { FollowsLog } from '../engine/follows-log.js';
import { NoticeQueue } from './notice-queue.js';

/** Queues each raised notice for delivery. Repeated events are ignored until a day after delivery. */
@FollowsLog<NoticeRaised>({ name: 'queue-notices', types: ['NoticeRaised'], startsAt: 'now', lanes: 'owner' })
export class QueueNotices {
  constructor(private readonly queue: NoticeQueue) {}

  react({ data }: RecordedEventOf<NoticeRaised>): Promise<void> {
    return this.queue.add(data);
  }
}
