import type { Catalogue } from '../../kernel/catalogue.js';
import type { DomainEvent } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';

/** What an owner is told of (publish-api.md: Endpoint and pause states; D-25, D-26); the names are those of D-29. */
export type NoticeKind =
  'publication.in_doubt' | 'publication.failed' | 'channel.needs_attention' | 'endpoint.disabled';

/** What a notice is about; what does not apply is absent. */
export interface NoticeSubject {
  readonly channelId?: string;
  readonly postId?: string;
  readonly publicationId?: string;
  readonly endpointId?: string;
}

/** Something that an owner has to know, whether or not it could be delivered yet. */
export type NoticeRaised = DomainEvent<
  'NoticeRaised',
  {
    readonly noticeId: string;
    readonly ownerId: string;
    readonly kind: NoticeKind;
    readonly subject: NoticeSubject;
    /** For people: what has happened and what to do. */
    readonly text: string;
    /** When it happened. */
    readonly at: Instant;
  }
>;

/** What a notice’s stream holds. */
export type NoticeEvent = NoticeRaised;

/** Versions of these events. */
export const noticeEvents = {
  NoticeRaised: { version: 1 },
} satisfies Catalogue & Record<NoticeEvent['type'], unknown>;
