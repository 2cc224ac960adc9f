import type { NoticeEvent } from '../../../src/domain/notice/notice.events.js';
import type { ChannelPauseEvent, ProjectPauseEvent } from '../../../src/domain/pause/pause.events.js';
import type { PayloadPartStored, PostEvent } from '../../../src/domain/post/post.events.js';
import type { PublicationEvent } from '../../../src/domain/publication/publication.events.js';
import type { RequestsLogged } from '../../../src/domain/request-log/request-log.events.js';
import type { TranslationEvent } from '../../../src/domain/translation/translation.events.js';
import type { SamplesOf } from '../samples.js';

const ownerId = 'own_0195931f3c007000a000000000000001';
const channelId = 'tgt_0195931f3c007000a000000000000002';
const projectId = 'prj_0195931f3c007000a000000000000003';
const endpointId = 'ep_0195931f3c007000a000000000000004';
const postId = 'post_0195931f3c007000a000000000000005';
const publicationId = 'pub_0195931f3c005000a000000000000006';
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const at = 1_741_953_600_000;
const later = 1_741_953_903_000;

const pauses: SamplesOf<ProjectPauseEvent | ChannelPauseEvent> = {
  ProjectPaused: [{ projectId, until: later, source: 'temp-pause', postId: null }],
  ProjectPauseUnchanged: [{ projectId, until: later, postId }],
  ProjectResumed: [{ projectId, at }],
  ChannelPaused: [{ channelId, until: later, source: 'publication', postId }],
  ChannelPauseUnchanged: [{ channelId, until: later, postId }],
  ChannelResumed: [{ channelId, at }],
};

const request = { ip: '2001:db8::7', userAgent: 'curl/8.5.0', route: 'publish', payloadBytes: 412, latencyMs: 7 };

const post: SamplesOf<PostEvent | PayloadPartStored> = {
  PostAccepted: [
    {
      postId,
      acceptedAt: at,
      endpointId,
      ownerId,
      key: 'order-1',
      externalId: 'ext-1',
      traceId: 'trace/1',
      bodyHash: sha256,
      payload: {
        text: 'Привет, "мир" \\ שלום 👩‍👩‍👧\n\u2028\u0000',
        entities: [
          { type: 'bold', offset: 0, length: 6 },
          { type: 'text_link', offset: 8, length: 5, url: 'https://example.org/?a=1&b=2' },
        ],
        media: [{ type: 'photo', url: 'https://example.org/a.jpg' }],
        buttons: [[{ text: 'Open', url: 'tg://resolve?domain=example' }]],
        is_advertisement: true,
        ad_pause_minutes: 60,
        ad_target_pause_minutes: 1_440,
        targets: [{ id: channelId }],
        external_id: 'ext-1',
        trace_id: 'trace/1',
        metadata: { campaign: { id: 7, ratio: 0.1, big: 1e21, tags: [], none: null, last: false } },
      },
      parts: null,
      targets: [{ publicationId, channelId, platform: 'telegram', projectId }],
      request,
    },
  ],
  PostSkipped: [
    {
      acceptedAt: at,
      endpointId,
      ownerId,
      key: 'order-2',
      externalId: null,
      traceId: null,
      bodyHash: sha256,
      request: { ...request, userAgent: null },
    },
  ],
  PostKeyReserved: [{ endpointId, place: { stream: `post-${sha256.slice(0, 40)}`, revision: 2 }, at }],
  PayloadPartStored: [{ postId, index: 0, chunk: 'eyJ0ZXh0Ijoi' }],
  PostReleased: [
    {
      postId,
      endpointId,
      ownerId,
      at: later,
      publishAt: later,
      contentRevision: 3,
      cancelledIds: [],
      targetCount: 1,
      targets: [{ publicationId, channelId, platform: 'telegram', projectId }],
    },
    {
      postId,
      endpointId,
      ownerId,
      at: later,
      publishAt: later,
      contentRevision: 3,
      cancelledIds: [publicationId],
      targetCount: 4,
    },
  ],
  PostRescheduled: [{ postId, endpointId, ownerId, at, publishAt: later, revision: 2, needsApproval: false }],
  PostRevised: [
    {
      postId,
      endpointId,
      ownerId,
      at: later,
      acceptedAt: at,
      publishAt: null,
      revision: 3,
      needsApproval: true,
      externalId: 'ext-1',
      traceId: null,
      payload: null,
      parts: { count: 2, sha256, id: `${postId}.0195931f3c00` },
      targets: [{ publicationId, channelId, platform: 'telegram', projectId }],
      droppedIds: ['pub_0195931f3c005000a000000000000009'],
    },
  ],
  PlannedPublicationsCancelled: [{ postId, endpointId, ownerId, at, publicationIds: [publicationId], isLast: false }],
  PostApprovalRequested: [{ postId, endpointId, ownerId, at, publishAt: null }],
  PostApproved: [{ postId, endpointId, ownerId, at, note: 'Looks good.' }],
  PostRejected: [{ postId, endpointId, ownerId, at, reason: 'A typo.', publicationIds: [publicationId], isLast: true }],
  PostWithdrawn: [
    { postId, endpointId, ownerId, at, reason: 'A wrong price.', publicationIds: [publicationId], wasPlanned: false },
  ],
  PostEdited: [
    {
      postId,
      endpointId,
      ownerId,
      at,
      acceptedAt: at,
      externalId: null,
      revision: 2,
      releasedRevision: 0,
      traceId: null,
      payload: { text: 'The right price.' },
      parts: null,
    },
  ],
};

const ids = { publicationId, postId, channelId };
const error = {
  code: 'too_many_requests',
  category: 'rate_limit',
  source: 'telegram',
  message: 'The network asks to wait.',
  platform_says: 'Too Many Requests: retry after 5',
};

const publication: SamplesOf<PublicationEvent> = {
  PublicationStarted: [
    { ...ids, attempt: 1, worker: 'worker-1', sending: null, at, projectRevision: null },
    { ...ids, attempt: 1, worker: 'worker-1', sending: 'send', at, projectRevision: '7' },
  ],
  PublicationStepStarted: [{ ...ids, attempt: 1, sending: 'send' }],
  PublicationStepCompleted: [
    {
      ...ids,
      attempt: 1,
      step: 'album',
      result: { message_ids: [17, 18] },
      messageIds: ['17', '18'],
      urls: ['https://t.me/news/17'],
      sending: 'text',
    },
  ],
  PublicationSucceeded: [
    {
      ...ids,
      attempt: 2,
      at: later,
      messageIds: ['17', '18', '19'],
      urls: ['https://t.me/news/17'],
      warnings: [{ code: 'text_trimmed', message: 'The text was cut to 4096 units.' }],
    },
  ],
  PublicationPostponed: [{ ...ids, attempt: 1, at, retryAt: later, rule: 'platform_limit', error }],
  PublicationFailed: [{ ...ids, attempt: 5, at: later, error }],
  PublicationInDoubt: [
    {
      ...ids,
      attempt: 1,
      at: later,
      step: 'send',
      error: { code: 'timeout', category: 'network', source: 'gateway', message: 'No answer.' },
    },
  ],
  PublicationFiltered: [{ ...ids, at, reason: { code: 'filtered', message: 'The word "реклама".' } }],
  PublicationHeld: [{ ...ids, at, rule: 'quota', until: later, ownerId, ownerRevision: 3 }],
  PublicationResent: [{ ...ids, at: later }],
  PublicationDismissed: [{ ...ids, at: later }],
  PublicationDuplicateFound: [{ ...ids, attempt: 1, at: later, messageIds: ['20'], urls: ['https://t.me/news/20'] }],
  PublicationDuplicateDismissed: [{ ...ids, at: later }],
  PublicationWithdrawalRequested: [
    {
      ...ids,
      ownerId,
      platform: 'telegram',
      at,
      requestedAt: at,
      by: 'endpoint:ep_1',
      reason: 'A wrong price.',
      isPublishing: false,
    },
  ],
  PublicationMessageDeleted: [{ ...ids, at: later, messageId: '17', wasThere: true }],
  PublicationWithdrawalPostponed: [{ ...ids, at, retryAt: later, rule: 'retry', error }],
  PublicationWithdrawn: [{ ...ids, at: later }],
  PublicationWithdrawalFailed: [{ ...ids, at: later, error }],
  PublicationWithdrawalDropped: [{ ...ids, at: later, status: 'published' }],
  PublicationEditRequested: [
    {
      ...ids,
      ownerId,
      platform: 'telegram',
      at,
      requestedAt: at,
      by: 'endpoint:ep_1',
      content: { revision: 2, streamRevision: 1 },
      releasedRevision: 0,
      waits: false,
    },
  ],
  PublicationEditPostponed: [{ ...ids, at, revision: 2, retryAt: later, rule: 'retry', error, done: ['17'] }],
  PublicationEdited: [
    {
      ...ids,
      at: later,
      content: { revision: 2, streamRevision: 1 },
      projectRevision: '3',
      results: { upload: { photo: 'photo-1_2' } },
      changed: true,
      warnings: [],
    },
  ],
  PublicationEditFailed: [{ ...ids, at: later, revision: 2, error, done: [] }],
  PublicationEditDropped: [{ ...ids, at: later }],
  PublicationPinned: [{ ...ids, at: later, messageId: '17' }],
  PublicationPinFailed: [{ ...ids, at, retryAt: later, rule: 'retry', error }],
};

const notices: SamplesOf<NoticeEvent> = {
  NoticeRaised: [
    {
      noticeId: 'ntc_0195931f3c005000a000000000000008',
      ownerId,
      kind: 'publication.in_doubt',
      subject: { channelId, postId, publicationId },
      text: 'Delivery of the post to "Новости" (telegram) could not be confirmed.',
      at: later,
    },
  ],
};

const requestLog: SamplesOf<RequestsLogged> = {
  RequestsLogged: [
    {
      endpointId,
      requests: [
        {
          request_id: 'req_0195931f3c007000a000000000000007',
          at,
          ip: '192.0.2.7',
          user_agent: null,
          route: 'publish',
          decision: 'rejected_rate_limit',
          reason: 'min_interval',
          http_status: 429,
          latency_ms: 2,
          payload_bytes: 412,
          trace_id: null,
          post_id: null,
          why: { rule: 'min_interval', figures: { seconds: 10 }, event_id: null },
        },
      ],
    },
  ],
};

const translation: SamplesOf<TranslationEvent> = {
  TranslationStored: [
    {
      postId,
      text: 'Hello, "world" 👩‍👩‍👧',
      places: [
        [1, 0, 5],
        [0, 7, 7],
      ],
    },
  ],
  TranslationAbandoned: [{ postId, error: { ...error, code: 'translation_failed', source: 'gateway' } }],
};

/** Sample events of publishing, pauses and requests. */
export const publishing = { ...pauses, ...post, ...publication, ...notices, ...translation, ...requestLog };
