import type { ArchiveEvent } from '../../../src/domain/archive/archive.events.js';
import type { ProjectionEvent } from '../../../src/domain/projection/projection.events.js';
import type { RecoveryConfirmed, RecoveryEvent } from '../../../src/domain/recovery/recovery.events.js';
import type { SagaEvent } from '../../../src/domain/saga/saga.events.js';
import type { SamplesOf } from '../samples.js';

const projection: SamplesOf<ProjectionEvent> = {
  ProjectionEventSkipped: [
    {
      projection: 'publish-schedule',
      eventId: '0195931f-3c00-7000-a000-000000000009',
      eventType: 'PostAccepted',
      position: '9007199254740993',
      error: 'invalid input syntax for type bigint: "soon"',
      reason: 'written by hand; the post was sent again',
    },
  ],
  ProjectionPromoted: [{ projection: 'posts', version: 3, previousVersion: 2, jobId: 'job_1', reason: null }],
  ProjectionRolledBack: [{ projection: 'posts', version: 2, previousVersion: 3, reason: 'wrong totals' }],
  ProjectionCandidateDiscarded: [{ projection: 'posts', version: 4, reason: null }],
};

const saga: SamplesOf<SagaEvent> = {
  SagaEventSkipped: [
    {
      saga: 'schedule-deliveries',
      eventId: '0195931f-3c00-7000-a000-000000000010',
      eventType: 'PublicationSucceeded',
      position: '9007199254740994',
      error: 'PublicationSucceeded 0195931f-3c00-7000-a000-000000000010: UndecodableEvent: damaged',
      reason: 'written by hand; the customer knows',
    },
  ],
};

const recovery: SamplesOf<RecoveryEvent | RecoveryConfirmed> = {
  RecoveryStarted: [
    {
      recoveryId: '0195931f-3c00-7000-a000-000000000011',
      at: 1_762_077_600_000,
      noticedBy: 'start',
      restoredAt: 1_762_077_600_000,
      lostEvents: 12,
      from: 1_762_070_400_000,
      until: 1_762_074_000_000,
      end: '9007199254740995',
      setting: null,
      covers: ['none'],
    },
  ],
  RecoveryMarked: [{ recoveryId: '0195931f-3c00-7000-a000-000000000011', at: 1_762_077_601_000, inDoubt: 3 }],
  RecoveryLookedUp: [{ recoveryId: '0195931f-3c00-7000-a000-000000000011', at: 1_762_077_602_000, found: 2 }],
  RecoveryConfirmed: [{ ownerId: 'own_1', at: 1_762_077_602_000, planned: 'keep', inDoubt: 'dismiss' }],
};

const archive: SamplesOf<ArchiveEvent> = {
  HistoryArchived: [
    {
      month: '2025-09',
      file: 'archive/2025-09-9007199254740000-3f2a9c5e7b1d4c60.jsonl.gz',
      sha256: '3f2a9c5e7b1d4c60a8e2f1d3b5c7e9f00123456789abcdef0123456789abcdef',
      firstPosition: '9007199254740000',
      lastPosition: '9007199254743999',
      events: 4_000,
    },
  ],
  HorizonMoved: [{ before: 1_759_276_800_000, position: '9007199254743999' }],
};

/** Sample events of operators' decisions. */
export const operations = { ...projection, ...saga, ...recovery, ...archive };
