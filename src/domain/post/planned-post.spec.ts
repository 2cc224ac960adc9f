import { isRejection } from '../../kernel/result.js';
import {
  beginPost,
  decidePlannedPost,
  evolvePost,
  type PlannedPost,
  type PlannedPostCommand,
  resumePost,
} from './planned-post.js';
import type { PostAccepted, PostPlan, PostRevised, Target } from './post.events.js';

const target = (n: number): Target => ({
  publicationId: `pub_${n}`,
  channelId: `tgt_${n}`,
  platform: 'telegram',
  projectId: 'prj_1',
});
const plan: PostPlan = { publishAt: 1_000, requiresApproval: false, isReleased: false };
const accepted = (given: PostPlan | undefined) =>
  ({
    postId: 'post_1',
    endpointId: 'ep_1',
    ownerId: 'own_1',
    acceptedAt: 100,
    externalId: 'e',
    targets: [target(1), target(2)],
    ...(given && { plan: given }),
  }) as unknown as PostAccepted['data'];
const planned = (change: Partial<PostPlan> = {}) => beginPost(accepted({ ...plan, ...change }), 4);
const client = { isManager: false, requiresApproval: false };
const manager = { isManager: true, requiresApproval: true };

/** Executes commands one after another; each event gets the next revision of the stream. */
const execute = (from: PlannedPost, ...commands: PlannedPostCommand[]) => {
  let state = from;
  let revision = 5;
  const events = commands.flatMap((command) => {
    const decided = decidePlannedPost(command, state, revision);
    if (isRejection(decided)) return [decided.rejection];
    for (const event of decided) state = evolvePost(state, event, revision++);
    return decided.map(({ type }) => type);
  });
  return { events, state };
};
const release = (at: number): PlannedPostCommand => ({ type: 'ReleasePost', at });
const reschedule = (publishAt: number | null, author = client, ifRevision: readonly number[] | null = null) =>
  ({ type: 'ReschedulePost', at: 200, publishAt, author, ifRevision }) as const;
const content = { traceId: null, payload: { text: 'new' }, parts: null, targets: [target(2), target(3)] };
const revise = (publishAt: number | null, author = client) =>
  ({ type: 'RevisePost', at: 200, author, ifRevision: null, content: { ...content, publishAt } }) as const;
const cancel = (...publicationIds: string[]) => ({
  type: 'CancelPlanned' as const,
  at: 200,
  publicationIds: publicationIds.length > 0 ? publicationIds : null,
  ifRevision: null,
});
const approve: PlannedPostCommand = { type: 'ApprovePost', at: 200, note: null, ifRevision: [1] };
const rejectIt: PlannedPostCommand = { type: 'RejectPost', at: 200, reason: 'no' };

it('releases a post once, at its time and not before', () => {
  const { events, state } = execute(planned(), release(999), release(1_000), release(1_001));
  expect(events).toEqual(['not_due', 'PostReleased', 'already_released']);
  expect(state.status).toBe('released');
});

it.each([
  ['without a plan', undefined],
  ['released at its acceptance', { ...plan, isReleased: true }],
])('changes nothing of a post %s', (_, given) => {
  const { events } = execute(beginPost(accepted(given), 4), reschedule(5), revise(5), cancel(), release(9));
  expect(events).toEqual(Array(4).fill('already_released'));
});

it('names the content and the remaining targets in the release', () => {
  const change = execute(planned(), revise(1_000), cancel('pub_2'));
  expect(change.events).toEqual(['PostRevised', 'PlannedPublicationsCancelled']);
  const [released] = decidePlannedPost(release(1_000), change.state, 7) as unknown as { data: unknown }[];
  expect(released!.data).toMatchObject({
    contentRevision: 5,
    cancelledIds: ['pub_2'],
    targetCount: 1,
    publishAt: 1_000,
  });
  expect(released!.data).not.toHaveProperty('targets');
});

it('drops with a replacement the publications that it no longer has, those cancelled earlier included', () => {
  const listDropped = (state: PlannedPost): unknown => {
    const [revised] = decidePlannedPost(revise(1_000), state, 6) as unknown as { data: { droppedIds: unknown } }[];
    return revised!.data.droppedIds;
  };
  expect(listDropped(planned())).toEqual(['pub_1']);
  expect(listDropped(execute(planned(), cancel('pub_1')).state)).toEqual(['pub_1']);
});

it('releases at once what is moved to now, with the content of the same append', () => {
  const { events, state } = execute(planned(), revise(null));
  expect(events).toEqual(['PostRevised', 'PostReleased']);
  expect(state.contentRevision).toBe(5);
  const [, released] = decidePlannedPost(revise(null), planned(), 5) as unknown as { data: unknown }[];
  expect(released!.data).toMatchObject({ contentRevision: 5, publishAt: null });
  expect(execute(planned(), reschedule(null)).events).toEqual(['PostRescheduled', 'PostReleased']);
});

it('counts a revision for each change, and refuses a change of another one', () => {
  const { events, state } = execute(planned(), reschedule(2_000, client, [1]), reschedule(3_000, client, [1]));
  expect(events).toEqual(['PostRescheduled', 'revision_mismatch']);
  expect(execute(state, reschedule(3_000, client, [1, 2]), reschedule(4_000, client, [])).events).toEqual([
    ...['PostRescheduled', 'revision_mismatch'],
  ]);
  expect([state.revision, state.publishAt]).toEqual([2, 2_000]);
});

it('ends with its last cancelled publication', () => {
  const { events, state } = execute(planned(), cancel('pub_1'), cancel('pub_1'), cancel(), cancel(), reschedule(9));
  expect(events).toEqual(['PlannedPublicationsCancelled', 'PlannedPublicationsCancelled', 'post_ended']);
  expect(state.status).toBe('ended');
  const empty = execute(
    planned(),
    { ...revise(1_000), content: { ...content, publishAt: 1_000, targets: [] } },
    cancel(),
    cancel(),
  );
  expect(empty.events).toEqual(['PostRevised', 'PlannedPublicationsCancelled']);
  expect(empty.state.status).toBe('ended');
  const ofRevision = (revision: number) => ({ ...cancel(), ifRevision: [revision] });
  expect(execute(state, ofRevision(1), ofRevision(2)).events).toEqual(['revision_mismatch']);
});

describe('a post that is taken back (D-69)', () => {
  const withdraw = (...publicationIds: string[]) =>
    ({ type: 'WithdrawPost', at: 300, reason: null, publicationIds }) as const;

  it('is cancelled in the same append while it is planned', () => {
    const both = ['PostWithdrawn', 'PlannedPublicationsCancelled'];
    expect(execute(planned(), withdraw('pub_1'), withdraw('pub_1', 'pub_2')).events).toEqual([...both, ...both]);
    expect(execute(planned(), withdraw('pub_1', 'pub_2'))).toMatchObject({ events: both, state: { status: 'ended' } });
    expect(execute(planned(), withdraw('pub_1', 'pub_2'), withdraw('pub_1')).events).toEqual(both);
  });

  it('names the publications once it is released, except those that were cancelled before', () => {
    const released = execute(planned(), cancel('pub_1'), release(1_000)).state;
    const decided = decidePlannedPost(withdraw('pub_1', 'pub_2'), released, 9);
    expect(decided).toMatchObject([{ type: 'PostWithdrawn', data: { publicationIds: ['pub_2'], wasPlanned: false } }]);
    expect(decidePlannedPost(withdraw('pub_1'), released, 9)).toEqual([]);
  });
});

describe('a post that requires approval', () => {
  const pending = planned({ requiresApproval: true });

  it('is released by its approval once its time has come, or at its time', () => {
    expect(execute(pending, release(2_000), approve, release(1_000)).events).toEqual([
      ...['not_due', 'PostApproved', 'PostReleased'],
    ]);
    expect(execute(planned({ requiresApproval: true, publishAt: null }), approve).events).toEqual([
      ...['PostApproved', 'PostReleased'],
    ]);
    expect(execute(planned({ requiresApproval: true, publishAt: 150 }), approve).events).toEqual([
      ...['PostApproved', 'PostReleased'],
    ]);
  });

  it('is decided once', () => {
    expect(execute(pending, approve, rejectIt).events).toEqual(['PostApproved', 'already_decided']);
    expect(execute(pending, rejectIt, approve).events).toEqual(['PostRejected', 'already_decided']);
    expect(execute(planned(), approve).events).toEqual(['no_approval_required']);
    expect(execute(pending, rejectIt, reschedule(5)).events).toEqual(['PostRejected', 'post_ended']);
  });

  it('is approved only at a revision that was read, which is recorded (D-81)', () => {
    const moved = execute(pending, reschedule(2_000));
    expect(execute(moved.state, approve).events).toEqual(['revision_mismatch']);
    const ofSecond: PlannedPostCommand = { type: 'ApprovePost', at: 200, note: null, ifRevision: [2] };
    expect(decidePlannedPost(ofSecond, moved.state, 9)).toMatchObject([
      { type: 'PostApproved', data: { revision: 2 } },
    ]);
  });

  it('is pending again after a change by the client, while the endpoint requires approval', () => {
    const asClient = { isManager: false, requiresApproval: true };
    expect(execute(pending, approve, reschedule(null, asClient)).state).toMatchObject({
      approval: 'pending',
      status: 'planned',
    });
    expect(execute(pending, approve, reschedule(null, asClient), reschedule(9_000, asClient)).events).toEqual([
      ...['PostApproved', 'PostRescheduled', 'PostApprovalRequested', 'PostRescheduled'],
    ]);
    expect(execute(planned(), revise(2_000, asClient)).events).toEqual(['PostRevised', 'PostApprovalRequested']);
    expect(execute(pending, approve, revise(2_000, client)).state.approval).toBe('approved');
    expect(execute(pending, approve, revise(2_000, manager)).state.approval).toBe('approved');
    expect(execute(pending, revise(null, manager)).state).toMatchObject({ approval: 'pending', status: 'planned' });
  });
});

it('has at most 200 revisions, and can be decided and cancelled after that (D-79)', () => {
  const full: PlannedPost = { ...planned(), approval: 'pending', revision: 200 };
  expect(execute({ ...full, revision: 199 }, reschedule(5)).events).toEqual(['PostRescheduled']);
  expect(execute(full, reschedule(5), revise(5)).events).toEqual(['too_many_revisions', 'too_many_revisions']);
  expect(execute(full, cancel()).events).toEqual(['PlannedPublicationsCancelled']);
  expect(execute(full, { type: 'ApprovePost', at: 0, note: null, ifRevision: [200] }).events).toEqual(['PostApproved']);
});

it.each([null, 'pending', 'approved'] as const)(
  'is known from its latest content, with the approval %s',
  (approval) => {
    const before: PlannedPost = { ...planned(), approval };
    const [revised] = decidePlannedPost(revise(1_000), before, 7) as unknown as [PostRevised];
    expect(resumePost(revised.data, 7)).toEqual(evolvePost(before, revised, 7));
  },
);
