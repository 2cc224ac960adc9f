import type { Instant } from '../../kernel/clock.js';
import { type Catalogue, type DomainEvent, withContent } from '../../kernel/events.js';

/** Kinds of notices (publish-api.md: Endpoint and pause states; D-18, D-25, D-26, D-80), named as in D-29. */
export type NoticeKind =
  | 'publication.in_doubt'
  | 'publication.failed'
  | 'published_twice'
  | 'withdraw_failed'
  | 'edit_failed'
  | 'channel.needs_attention'
  | 'endpoint.disabled'
  | 'webhook_output.disabled'
  | 'approval_needed'
  | 'quota.nearly_used'
  | 'quota.used_up'
  | 'restored';

/** What a notice is about; fields that do not apply are absent. */
export interface NoticeSubject {
  readonly channelId?: string;
  readonly postId?: string;
  readonly publicationId?: string;
  readonly endpointId?: string;
  readonly outputId?: string;
  /** UTC month of a quota: `2026-11`. */
  readonly month?: string;
}

/** A notice to an owner was raised; it may not have been delivered yet. */
export type NoticeRaised = DomainEvent<
  'NoticeRaised',
  {
    readonly noticeId: string;
    readonly ownerId: string;
    readonly kind: NoticeKind;
    readonly subject: NoticeSubject;
    /** Human-readable text: what happened, and what to do; null once it is erased (D-100). */
    readonly text: string | null;
    /** Time of the event. */
    readonly at: Instant;
  }
>;

/** Events of a notice's stream. */
export type NoticeEvent = NoticeRaised;

export const noticeEvents = {
  NoticeRaised: withContent(['text']),
} satisfies Catalogue & Record<NoticeEvent['type'], unknown>;
