import { buildStory, eventsOf, type TraceEvent } from './story.js';

const NOON = Date.parse('2026-11-26T12:00:00.000Z');
let number = 0;
const event = (type: string, seconds: number, data: object = {}, rest: object = {}): TraceEvent =>
  ({
    id: `event-${++number}`,
    type,
    at: new Date(NOON + seconds * 1000).toISOString(),
    data,
    aggregate: 'publication',
    aggregate_id: 'pub_1',
    ...rest,
  }) as never;
const accepted = event('PostAccepted', 0, {}, { aggregate: 'post', aggregate_id: 'post_1' });
const kinds = (events: readonly TraceEvent[], state: string): string =>
  buildStory(events, { state } as never)
    .map(({ kind }) => kind)
    .join(' ');

describe('the story of a publication', () => {
  it('has the request, the acceptance, the attempt and its end', () => {
    const events = [accepted, event('PublicationStarted', 0.1, { attempt: 1 }), event('PublicationSucceeded', 40)];
    expect(kinds(events, 'published')).toBe('requested accepted attempt published');
  });

  it('shows waits with their length and the rule behind them, but not the time of sending', () => {
    const story = buildStory(
      [
        accepted,
        event('PublicationStarted', 124, { attempt: 1 }),
        event('PublicationPostponed', 154, { attempt: 1, rule: 'platform_limit' }),
        event('PublicationStarted', 454, { attempt: 2 }),
      ],
      { state: 'publishing' },
    );
    expect(story.map(({ kind }) => kind).join(' ')).toBe('requested accepted wait attempt slowed wait attempt now');
    expect(story.filter(({ wait }) => wait).map(({ wait }) => wait)).toEqual([
      { length: 124_000, rule: null },
      { length: 300_000, rule: 'platform_limit' },
    ]);
    expect(story.at(-2)?.attempt).toBe(2);
  });

  it('says who approved a post, and how long it waited for that and for its time', () => {
    const ofPost = { aggregate: 'post', aggregate_id: 'post_1' };
    const approved = event('PostApproved', 46, {}, { ...ofPost, actor: 'key:key_1', actor_name: 'Ann' });
    const planned = event('PostAccepted', 0, { plan: { publishAt: NOON + 100_000 } }, ofPost);
    const events = [planned, event('PostApprovalRequested', 0, {}, ofPost), approved, event('PublicationStarted', 100)];
    expect(kinds(events, 'publishing')).toBe('requested accepted wait approved wait attempt now');
    expect(buildStory(events, { state: 'publishing' }).flatMap(({ wait }) => wait ?? [])).toEqual([
      { length: 46_000, rule: 'approval', by: approved },
      { length: 54_000, rule: 'scheduled' },
    ]);
  });

  it('collects the steps that an attempt completed', () => {
    const events = [
      event('PublicationStarted', 0, { attempt: 1 }),
      event('PublicationStepCompleted', 1, { attempt: 1, step: 'upload 1' }),
      event('PublicationStepStarted', 1, { attempt: 1, sending: 'post' }),
      event('PublicationStepCompleted', 2, { attempt: 1, step: 'post' }),
    ];
    expect(buildStory(events, { state: 'publishing' })[0]?.done).toEqual(['upload 1', 'post']);
  });

  it('ends with the present while the publication is not at its end', () => {
    expect(kinds([accepted], 'queued')).toBe('requested accepted now');
    expect(kinds([accepted, event('PublicationFiltered', 0.2)], 'filtered')).toBe('requested accepted filtered');
    expect(kinds([accepted, event('PublicationInDoubt', 0.2)], 'in_doubt')).toBe('requested accepted in_doubt now');
  });

  it('tells that a person settled a doubt, after a wait for the decision', () => {
    const events = [accepted, event('PublicationInDoubt', 1), event('PublicationDismissed', 26)];
    expect(kinds(events, 'dismissed')).toBe('requested accepted in_doubt wait settled');
    expect(buildStory(events, { state: 'dismissed' })[3]?.wait).toEqual({ length: 25_000, rule: 'decision' });
    expect(kinds([accepted, event('PublicationDismissed', 1)], 'dismissed')).toBe('requested accepted cancelled');
    const failed = [accepted, event('PublicationFailed', 1), event('PublicationDismissed', 2)];
    expect(kinds(failed, 'dismissed')).toBe('requested accepted failed dismissed');
  });

  it('tells that a post was taken back, without a wait before it', () => {
    const published = [accepted, event('PublicationStarted', 0.1, { attempt: 1 }), event('PublicationSucceeded', 1)];
    const requested = event('PublicationWithdrawalRequested', 60);
    const failed = [...published, requested, event('PublicationWithdrawalFailed', 61)];
    const begin = 'requested accepted attempt published withdrawal_requested';
    expect(kinds([...published, requested], 'withdrawing')).toBe(`${begin} now`);
    expect(kinds([...published, requested, event('PublicationWithdrawn', 61)], 'withdrawn')).toBe(`${begin} withdrawn`);
    expect(kinds(failed, 'withdraw_failed')).toBe(`${begin} withdraw_failed now`);
    expect(kinds([...failed, event('PublicationWithdrawalDropped', 70)], 'published')).toBe(
      `${begin} withdraw_failed wait withdrawal_left`,
    );
    const unsent = [accepted, requested, event('PublicationDismissed', 60)];
    expect(kinds(unsent, 'dismissed')).toBe('requested accepted withdrawal_requested not_sent');
  });

  it('tells of a take-back of a planned post only where it names the publication', () => {
    const post = { aggregate: 'post', aggregate_id: 'post_1' };
    const taken = (publicationIds: readonly string[], wasPlanned: boolean): TraceEvent =>
      event('PostWithdrawn', 1, { publicationIds, wasPlanned }, post);
    const ofOne = (taking: TraceEvent): string =>
      kinds(eventsOf([accepted, taking], { id: 'pub_1', post_id: 'post_1' }), 'dismissed');
    expect(ofOne(taken(['pub_1'], true))).toBe('requested accepted withdrawal_requested');
    expect(ofOne(taken(['pub_2'], true))).toBe('requested accepted');
    expect(ofOne(taken(['pub_1'], false))).toBe('requested accepted'); // the publication's own event follows
  });

  it('survives events without data', () => {
    expect(kinds([event('PublicationPostponed', 0, 'erased' as never)], 'queued')).toBe('retry now');
  });

  it('leaves out what concerns other publications of the post', () => {
    const other = event('PublicationStarted', 1, {}, { aggregate_id: 'pub_2' });
    const notice = event('NoticeRaised', 1, { subject: { publicationId: 'pub_1' } }, { aggregate: 'notice' });
    const delivery = event('DeliveryScheduled', 1, {}, { aggregate: 'delivery' });
    expect(eventsOf([accepted, other, notice, delivery], { id: 'pub_1', post_id: 'post_1' })).toEqual([
      accepted,
      notice,
    ]);
  });
});
