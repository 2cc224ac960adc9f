import { readFileSync } from 'node:fs';
import type { PauseAfterPublication } from '../../../commands/pause.js';
import { UploadLinks } from '../../../commands/post/upload-holds.js';
import { publication as decider, type PublicationState } from '../../../domain/publication/publication.decider.js';
import { type AggregateStore, emptyAggregate } from '../../../event-store/aggregate-store.js';
import { systemClock } from '../../../kernel/clock.js';
import { silentLog } from '../../../kernel/log.js';
import type { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import type { PublishError, Rendering, Step, StepOutcome } from '../../../platforms/publisher.js';
import {
  afterCall,
  afterMedia,
  afterOrphanFound,
  afterResolution,
  afterStart,
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
  type Unconfirmed,
  type Unprepared,
} from './attempt-state.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import type { PublicationAttempt } from './publication-attempt.js';
import type { Pacing } from './start-limits.js';
import { StepSender } from './step-sender.js';

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
  kind: 'unconfirmed',
  publication: RECORDED,
  step: message,
  credentials,
  error,
  isOrphaned: false,
};
const orphanedUpload: Unconfirmed = { ...unconfirmed, publication: STARTED, step: upload, isOrphaned: true };
const confirmed: StepConfirmed = {
  kind: 'step_confirmed',
  publication: STARTED,
  step: upload,
  done,
  next: { rendering, step: message, credentials },
};
const awaitingPace: AwaitingPace = {
  kind: 'awaiting_pace',
  publication: RECORDED,
  next: { rendering, step: message, credentials },
};
const concluding = conclude(sending, { kind: 'failed', error });
const unprepared: Unprepared = {
  kind: 'unprepared',
  publication: QUEUED,
  error,
  afterMs: 5,
  isFinal: false,
};
const failedMedia = (isLast: boolean) =>
  afterMedia(prepared, { kind: 'failed', key: 'k', error, isFinal: isLast }) as Unprepared;

const attempt = { signals: { drain: new AbortController().signal }, payload: {}, row: {} } as PublicationAttempt;
/** Commands that the stream was asked to record. */
const commands: { readonly type: string; readonly sending?: string | null }[] = [];

/** A recorder whose appends return `recorded`; null means that the stream rejects them. */
class FakeRecorder extends OutcomeRecorder {
  constructor(private readonly recorded: LoadedPublication | null) {
    const aggregates = {} as AggregateStore;
    const pauses = {} as PauseAfterPublication;
    super(aggregates, pauses, systemClock, silentLog, () => undefined);
  }

  override record(
    _attempt: unknown,
    _known: unknown,
    command: { readonly type: string },
  ): Promise<LoadedPublication | null> {
    commands.push(command);
    return Promise.resolve(this.recorded);
  }
}

/** Returns a sender of steps without a network and without an event store. */
const senderWith = (recorded: LoadedPublication | null, isPaced = true): StepSender => {
  const pacing = { enabled: isPaced, waitForTurn: () => Promise.resolve(false) };
  const unused = {} as never;
  return new StepSender(
    unused,
    pacing as unknown as Pacing,
    unused,
    unused,
    unused,
    systemClock,
    silentLog,
    new FakeRecorder(recorded),
    unused,
    unused,
    new UploadLinks(unused, systemClock),
    { chatOf: () => ({}) } as unknown as PlatformCatalogue,
  );
};

/** Every transition: the previous state, its cause, the next state, and its relevant fields. */
const TRANSITIONS: readonly (readonly [string, string, AttemptState | Promise<AttemptState>, object])[] = [
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
    senderWith(STARTED).startWithoutCall(attempt, unprepared),
    { kind: 'concluding', publication: STARTED, outcome: { kind: 'retry', error, afterMs: 5, named: false } },
  ],
  ['prepared', 'media cannot be fetched', failedMedia(false), { kind: 'unprepared', error, afterMs: null }],
  [
    'unprepared',
    'start recorded, no try follows',
    senderWith(STARTED).startWithoutCall(attempt, failedMedia(true)),
    { kind: 'concluding', publication: STARTED, outcome: { kind: 'failed', error } },
  ],
  ['unprepared', 'start rejected', senderWith(null).startWithoutCall(attempt, unprepared), { kind: 'released' }],
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
    senderWith(RECORDED, false).recordStep(attempt, confirmed),
    { kind: 'sending', step: message, publication: RECORDED },
  ],
  [
    'step_confirmed',
    'recorded, pacing is on',
    senderWith(RECORDED).recordStep(attempt, confirmed),
    { kind: 'awaiting_pace', next: { step: message } },
  ],
  [
    'step_confirmed',
    'recorded for another worker',
    senderWith(RECORDED).recordStep(attempt, { ...confirmed, next: { interrupt: error } }),
    { kind: 'concluding', outcome: { kind: 'interrupted', error } },
  ],
  ['step_confirmed', 'rejected', senderWith(null).recordStep(attempt, confirmed), { kind: 'released' }],
  [
    'awaiting_pace',
    'turn, step named',
    senderWith(STARTED).waitForPace(attempt, awaitingPace),
    { kind: 'sending', step: message },
  ],
  ['awaiting_pace', 'step rejected', senderWith(null).waitForPace(attempt, awaitingPace), { kind: 'released' }],
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
  [
    'concluding',
    'recorded',
    new FakeRecorder(RECORDED).recordOutcome(attempt, concluding),
    { kind: 'ended', publication: RECORDED },
  ],
  ['concluding', 'rejected', new FakeRecorder(null).recordOutcome(attempt, concluding), { kind: 'released' }],
];

describe('the states of a publication attempt', () => {
  it.each(TRANSITIONS)('%s: %s', async (_, __, state, expected) => {
    expect(await state).toMatchObject(expected);
  });

  it('go on with the media that are ready, or without any, and end where the worker stops', () => {
    expect(afterMedia(prepared, { kind: 'ready', key: 'k', refused: new Map() })).toBe(prepared);
    expect(afterMedia(prepared, null)).toBe(prepared);
    expect(afterMedia(prepared, { kind: 'abandoned' })).toMatchObject({ kind: 'released' });
  });

  it('name a visible step in the stream only if its call may follow at once', async () => {
    const nameOf = async (state: StepConfirmed, isPaced: boolean) => {
      await senderWith(RECORDED, isPaced).recordStep(attempt, state);
      return commands.at(-1)?.sending;
    };
    expect(await nameOf(confirmed, false)).toBe('message');
    expect(await nameOf(confirmed, true)).toBeNull();
    expect(await nameOf({ ...confirmed, next: { interrupt: error } }, false)).toBeNull();
  });

  it('and their transitions are the ones in docs/publication-attempt.md', async () => {
    const page = readFileSync(new URL('../../../../docs/publication-attempt.md', import.meta.url), 'utf8');
    const arrows = [...page.matchAll(/^ {4}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} → ${to}`);
    const tested = new Set<string>();
    for (const [from, , state] of TRANSITIONS) tested.add(`${from} → ${(await state).kind}`);
    expect(arrows.sort()).toEqual([...tested].sort());
  });
});
