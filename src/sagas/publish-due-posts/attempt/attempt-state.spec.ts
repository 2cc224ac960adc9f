import { readFileSync } from 'node:fs';
import { publication as decider, type PublicationState } from '../../../domain/publication/publication.decider.js';
import { emptyAggregate } from '../../../event-store/aggregate-store.js';
import type { PublishError, Rendering, Step, StepOutcome } from '../../../platforms/publisher.js';
import {
  afterCall,
  afterMediaFailed,
  afterStartWithoutCall,
  afterOrphanFound,
  afterOutcomeRecorded,
  afterPace,
  afterResolution,
  afterStart,
  afterStepRecorded,
  type AttemptState,
  type AwaitingPace,
  beginAttempt,
  conclude,
  type LoadedPublication,
  type Orphaned,
  type Prepared,
  release,
  type Sending,
  type StepConfirmed,
  stepNamedWithResult,
  type Unconfirmed,
} from './attempt-state.js';

const loaded = (change: Partial<PublicationState> = {}): LoadedPublication => ({
  ...emptyAggregate(decider),
  state: { ...decider.initial, ...change },
});
const QUEUED = loaded();
const STARTED = loaded({ status: 'publishing', attempt: 1, sending: 'message' });
const RECORDED = loaded({ status: 'publishing', attempt: 1, results: { upload: {} } });

const error: PublishError = { code: 'connection_lost', category: 'network', source: 'gateway', message: 'Lost.' };
const warning = { code: 'text_trimmed', message: 'Trimmed.' };
const upload: Step = { name: 'upload', visible: false, method: 'upload', request: {} };
const message: Step = { name: 'message', visible: true, method: 'sendMessage', request: {} };
const rendering: Rendering = { steps: [upload, message], warnings: [warning], textAfterTrim: '', trimmedChars: 0 };
const empty: Rendering = { ...rendering, steps: [], warnings: [] };
const render = () => rendering;
const credentials = { token: 't' };
const read = { kind: 'read', credentials } as const;
const unusable = { kind: 'unusable', error } as const;
const done: StepOutcome = { kind: 'done', result: {}, messageIds: ['1'], urls: ['u'] };
const post = { kind: 'post', post: {} as never, warnings: [] } as const;

const prepared: Prepared = { kind: 'prepared', publication: QUEUED, rendering };
const uploading: Sending = { kind: 'sending', publication: STARTED, rendering, step: upload, credentials };
const sending: Sending = { kind: 'sending', publication: RECORDED, rendering, step: message, credentials };
const orphaned: Orphaned = { kind: 'orphaned', publication: STARTED };
const unconfirmed: Unconfirmed = {
  ...{ kind: 'unconfirmed', publication: RECORDED, step: message, credentials, error, isOrphaned: false },
};
const orphanedUpload: Unconfirmed = { ...unconfirmed, publication: STARTED, step: upload, isOrphaned: true };
const confirmed: StepConfirmed = {
  ...{ kind: 'step_confirmed', publication: STARTED, step: upload, done: done },
  next: { rendering, step: message, credentials },
};
const awaitingPace: AwaitingPace = {
  ...{ kind: 'awaiting_pace', publication: RECORDED },
  next: { rendering, step: message, credentials },
};
const concluding = conclude(sending, { kind: 'failed', error });

/** Every transition: the state before it, its cause, the state after it, and what matters of that. */
const TRANSITIONS: readonly (readonly [string, string, AttemptState, object])[] = [
  ['loaded', 'open attempt', beginAttempt(STARTED, post, render), { kind: 'orphaned' }],
  ['loaded', 'rendered', beginAttempt(QUEUED, post, render), { kind: 'prepared', rendering }],
  ['loaded', 'rendering failed', beginAttempt(QUEUED, post, () => null), { kind: 'unprepared', afterMs: null }],
  [
    'loaded',
    'translation must wait',
    beginAttempt(QUEUED, { kind: 'wait', error, afterMs: 5 }, render),
    { kind: 'unprepared', error, afterMs: 5 },
  ],
  [
    'loaded',
    'filtered by the project',
    beginAttempt(QUEUED, { kind: 'filtered', reason: warning }, render),
    { kind: 'concluding', outcome: { kind: 'filtered', reason: warning } },
  ],
  [
    'loaded',
    'nothing to send',
    beginAttempt(QUEUED, post, () => empty),
    { kind: 'concluding', outcome: { kind: 'filtered', reason: { code: 'nothing_to_send' } } },
  ],
  [
    'unprepared',
    'start recorded',
    afterStartWithoutCall({ kind: 'unprepared', publication: QUEUED, error, afterMs: 5, isFinal: false }, STARTED),
    { kind: 'concluding', publication: STARTED, outcome: { kind: 'retry', error, afterMs: 5, named: false } },
  ],
  [
    'prepared',
    'media cannot be fetched',
    afterMediaFailed(prepared, { error, isFinal: false }),
    { kind: 'unprepared', error, afterMs: null },
  ],
  [
    'unprepared',
    'start recorded, no try follows',
    afterStartWithoutCall(afterMediaFailed(prepared, { error, isFinal: true }), STARTED),
    { kind: 'concluding', publication: STARTED, outcome: { kind: 'failed', error } },
  ],
  [
    'unprepared',
    'start rejected',
    afterStartWithoutCall({ kind: 'unprepared', publication: QUEUED, error, afterMs: 5, isFinal: false }, null),
    { kind: 'released' },
  ],
  ['prepared', 'start recorded', afterStart(prepared, STARTED, read), { kind: 'sending', step: upload }],
  [
    'prepared',
    'start recorded, a step is done already',
    afterStart(prepared, RECORDED, read),
    { kind: 'sending', step: message },
  ],
  [
    'prepared',
    'start recorded, all steps are done already',
    afterStart({ ...prepared, rendering: { ...rendering, steps: [upload] } }, RECORDED, read),
    { kind: 'concluding', outcome: { kind: 'done', messageIds: [], urls: [], warnings: [warning] } },
  ],
  [
    'prepared',
    'credentials were erased or cannot be decrypted',
    afterStart(prepared, STARTED, unusable),
    { kind: 'concluding', outcome: { kind: 'needs_attention', error } },
  ],
  ['prepared', 'start rejected', afterStart(prepared, null, read), { kind: 'released', publication: QUEUED }],
  ['prepared', 'quota is busy, paused, draining or lease lost', release(prepared), { kind: 'released' }],
  [
    'prepared',
    'quota is used up',
    conclude(prepared, { kind: 'held', until: 7, ownerRevision: 1 }),
    { kind: 'concluding', outcome: { kind: 'held', until: 7 } },
  ],
  [
    'sending',
    'step done, others follow',
    afterCall(uploading, done, render),
    { kind: 'step_confirmed', step: upload, next: { step: message } },
  ],
  [
    'sending',
    'last step done',
    afterCall(sending, done, render),
    { kind: 'concluding', outcome: { kind: 'done', messageIds: ['1'], urls: ['u'], warnings: [warning] } },
  ],
  [
    'sending',
    'refused',
    afterCall(sending, { kind: 'failed', error }, render),
    { kind: 'concluding', outcome: { kind: 'failed', error } },
  ],
  [
    'sending',
    'outcome unknown',
    afterCall(sending, { kind: 'in_doubt', error }, render),
    { kind: 'unconfirmed', step: message, error, isOrphaned: false },
  ],
  [
    'unconfirmed',
    'sent, last step',
    afterResolution(unconfirmed, { kind: 'sent', outcome: done }, render),
    { kind: 'concluding', outcome: { kind: 'done', messageIds: ['1'] } },
  ],
  [
    'unconfirmed',
    'sent by another worker, others follow',
    afterResolution(orphanedUpload, { kind: 'sent', outcome: done }, render),
    { kind: 'step_confirmed', next: { interrupt: error } },
  ],
  [
    'unconfirmed',
    'not sent',
    afterResolution(unconfirmed, { kind: 'not_sent' }, render),
    { kind: 'concluding', outcome: { kind: 'retry', error, afterMs: null, named: false } },
  ],
  [
    'unconfirmed',
    'not sent by another worker',
    afterResolution(orphanedUpload, { kind: 'not_sent' }, render),
    { kind: 'concluding', outcome: { kind: 'interrupted', error } },
  ],
  [
    'unconfirmed',
    'unresolved',
    afterResolution(unconfirmed, { kind: 'unresolved' }, render),
    { kind: 'concluding', outcome: { kind: 'unresolved', error } },
  ],
  ['unconfirmed', 'abandoned', afterResolution(unconfirmed, { kind: 'abandoned' }, render), { kind: 'released' }],
  [
    'step_confirmed',
    'recorded',
    afterStepRecorded(confirmed, RECORDED, false),
    { kind: 'sending', step: message, publication: RECORDED },
  ],
  [
    'step_confirmed',
    'recorded, pacing is on',
    afterStepRecorded(confirmed, RECORDED, true),
    { kind: 'awaiting_pace', next: { step: message } },
  ],
  [
    'step_confirmed',
    'recorded for another worker',
    afterStepRecorded({ ...confirmed, next: { interrupt: error } }, RECORDED, true),
    { kind: 'concluding', outcome: { kind: 'interrupted', error } },
  ],
  ['step_confirmed', 'rejected', afterStepRecorded(confirmed, null, true), { kind: 'released' }],
  ['awaiting_pace', 'turn, step named', afterPace(awaitingPace, STARTED), { kind: 'sending', step: message }],
  ['awaiting_pace', 'step rejected', afterPace(awaitingPace, null), { kind: 'released' }],
  [
    'orphaned',
    'visible step under way',
    afterOrphanFound(orphaned, message, read),
    { kind: 'unconfirmed', isOrphaned: true, error: { code: 'interrupted' } },
  ],
  [
    'orphaned',
    'step is not rendered any more',
    afterOrphanFound(orphaned, undefined, read),
    { kind: 'concluding', outcome: { kind: 'unresolved' } },
  ],
  [
    'orphaned',
    'credentials were erased or cannot be decrypted',
    afterOrphanFound(orphaned, message, unusable),
    { kind: 'concluding', outcome: { kind: 'unresolved' } },
  ],
  [
    'orphaned',
    'no visible step under way',
    afterOrphanFound({ ...orphaned, publication: RECORDED }, undefined, null),
    { kind: 'concluding', outcome: { kind: 'interrupted' } },
  ],
  ['concluding', 'recorded', afterOutcomeRecorded(concluding, RECORDED), { kind: 'ended', publication: RECORDED }],
  ['concluding', 'rejected', afterOutcomeRecorded(concluding, null), { kind: 'released' }],
];

describe('the states of a publication attempt', () => {
  it.each(TRANSITIONS)('%s: %s', (_, __, state, expected) => {
    expect(state).toMatchObject(expected);
  });

  it('name a visible step in the stream only if its call may follow at once', () => {
    expect(stepNamedWithResult(confirmed, false)).toBe('message');
    expect(stepNamedWithResult(confirmed, true)).toBeNull();
    expect(stepNamedWithResult({ ...confirmed, next: { interrupt: error } }, false)).toBeNull();
  });

  it('and their transitions are the ones in docs/publication-attempt.md', () => {
    const page = readFileSync(new URL('../../../../docs/publication-attempt.md', import.meta.url), 'utf8');
    const arrows = [...page.matchAll(/^ {4}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} → ${to}`);
    const tested = new Set(TRANSITIONS.map(([from, , { kind }]) => `${from} → ${kind}`));
    expect(arrows.sort()).toEqual([...tested].sort());
  });
});
