import type { ProjectionEvent } from '../../../src/domain/projection/projection.events.js';
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

/** Sample events of operators' decisions. */
export const operations = { ...projection, ...saga };
