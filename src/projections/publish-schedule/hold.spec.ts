import { findHold, type PacedPublication } from './hold.js';
import { newChannelRow, type ScheduledChannel } from './publish-schedule.tables.js';

const NOW = 1_000_000;
const MINUTE = 60_000;
const [SOON, LATER, LATEST] = [NOW + 10_000, NOW + 20_000, NOW + 30_000];

const row = (change: Partial<PacedPublication> = {}): PacedPublication => ({
  publication_id: 'pub_2',
  post_id: 'post_2',
  post_stream: 'post-2',
  post_revision: '0',
  channel_id: 'tgt_1',
  project_id: 'prj_1',
  owner_id: 'own_1',
  platform: 'telegram',
  sequence: 2,
  accepted_at: NOW - 1_000,
  project_pause_id: null,
  waited_until: 0,
  not_before: 0,
  project_pause_event: null,
  state: 'queued' as const,
  attempt: 0,
  retry_at: 0,
  retry_rule: null,
  retry_event: null,
  queued_position: '1',
  is_restored: false,
  is_withdrawn: false,
  is_edited: false,
  turn_at: null,
  uses_share: false,
  ...change,
});
const channel = (change: Partial<ScheduledChannel> = {}): ScheduledChannel => ({
  ...newChannelRow('tgt_1', 'telegram', 'own_1'),
  ...change,
});
const FIRST = row({ publication_id: 'pub_1', sequence: 1 });

/** Returns the hold of a publication that is its channel's head. */
const holdOfHead = (change: Partial<PacedPublication>, of: Partial<ScheduledChannel> = {}) =>
  findHold(row(change), channel(of), row(change), NOW, MINUTE);

describe('the hold of a publication (D-36)', () => {
  it('is none if it is next and due', () => expect(holdOfHead({})).toBeNull());

  it.each(['publishing', 'failed', 'in_doubt'] as const)('is none if it is %s', (state) => {
    expect(holdOfHead({ state, retry_at: LATER }, { paused_until: LATER })).toBeNull();
  });

  it('is the project’s pause during which it was accepted, until the end of the pause', () => {
    const delayed = { not_before: LATER, project_pause_event: 'e1' };
    expect(findHold(row(delayed), channel(), FIRST, NOW, MINUTE)).toEqual({
      rule: 'project_pause',
      until: LATER,
      eventId: 'e1',
    });
    expect(findHold(row(delayed), channel(), null, LATER, MINUTE)?.rule).not.toBe('project_pause');
  });

  it('is the turn that the head waits for, also of what is behind it, unless a pause ends later', () => {
    const pace = { rule: 'pace', until: LATER, eventId: null };
    expect(holdOfHead({ turn_at: LATER })).toEqual(pace);
    expect(holdOfHead({ turn_at: LATER }, { paused_until: SOON })).toEqual(pace);
    expect(holdOfHead({ turn_at: LATER }, { paused_until: LATEST })?.rule).toBe('channel_pause');
    expect(holdOfHead({ turn_at: LATER, state: 'publishing' })).toBeNull();
    const behind = findHold(row(), channel(), { ...FIRST, turn_at: LATER }, NOW, MINUTE);
    expect(behind).toEqual({ ...pace, rule: 'earlier_publication' });
  });

  it('is its owner’s share for what no other rule holds back, and for what is behind that', () => {
    const share = { rule: 'share', until: null, eventId: null };
    expect(holdOfHead({ uses_share: true })).toEqual(share);
    expect(holdOfHead({ uses_share: true, turn_at: LATER })?.rule).toBe('pace');
    expect(holdOfHead({ uses_share: true, retry_at: LATER })?.rule).toBe('retry');
    expect(holdOfHead({ uses_share: true, state: 'publishing' })).toBeNull();
    const behind = findHold(row(), channel(), { ...FIRST, uses_share: true }, NOW, MINUTE);
    expect(behind).toEqual({ ...share, rule: 'earlier_publication' });
  });

  it.each([
    ['retry', 'retry'],
    ['interrupted', 'retry'],
    ['platform_limit', 'platform_limit'],
    ['needs_attention', 'needs_attention'],
    ['quota', 'quota'],
  ] as const)('of an attempt that was postponed by %s is %s', (retry_rule, rule) => {
    const postponed = { retry_at: LATER, retry_rule, retry_event: 'e2' };
    expect(holdOfHead(postponed)).toEqual({ rule, until: LATER, eventId: 'e2' });
    expect(holdOfHead({ ...postponed, retry_at: NOW })).toBeNull();
  });

  it('is the spacing of a backlog, a minute after the previous publication', () => {
    const backlog = { last_backlog_at: NOW - 20_000, pause_end: NOW, pause_event: 'e3' };
    const held = { rule: 'backlog_spacing', until: NOW + 40_000, eventId: 'e3' };
    expect(holdOfHead({}, backlog)).toEqual(held);
    expect(holdOfHead({ not_before: NOW - 5, project_pause_event: 'e1' }, { ...backlog, pause_end: 0 })).toEqual({
      ...held,
      eventId: 'e1',
    });
    expect(holdOfHead({ accepted_at: NOW }, backlog)).toBeNull(); // accepted after the pause
    expect(holdOfHead({ attempt: 1 }, backlog)).toBeNull(); // not the first attempt
    expect(holdOfHead({}, { ...backlog, last_backlog_at: NOW - MINUTE })).toBeNull();
  });

  it('is the one that ends last, if there are several', () => {
    const retry = { retry_at: LATER, retry_rule: 'retry' as const, retry_event: 'e2' };
    expect(holdOfHead(retry, { paused_until: SOON, pause_event: 'e4' })?.rule).toBe('retry');
    expect(holdOfHead(retry, { paused_until: LATEST, pause_event: 'e4' })).toEqual({
      rule: 'channel_pause',
      until: LATEST,
      eventId: 'e4',
    });
    const attention = { attention_until: LATEST, attention_event: 'e5', paused_until: LATER };
    expect(holdOfHead(retry, attention)).toEqual({ rule: 'needs_attention', until: LATEST, eventId: 'e5' });
    expect(holdOfHead({ not_before: LATER }, { paused_until: LATEST })?.rule).toBe('channel_pause');
    expect(holdOfHead(retry, { ...attention, enabled: false })).toEqual({
      rule: 'needs_attention',
      until: null,
      eventId: null,
    });
  });

  describe('of a publication behind another one', () => {
    const behind = (of: Partial<ScheduledChannel>, head: Partial<PacedPublication> = {}) =>
      findHold(row(), channel(of), { ...FIRST, ...head }, NOW, MINUTE);

    it('is its place in the queue, until the end of the first one’s hold', () => {
      expect(behind({})).toEqual({ rule: 'earlier_publication', until: null, eventId: null });
      expect(behind({}, { state: 'publishing' })).toEqual({ rule: 'earlier_publication', until: null, eventId: null });
      const retry = { retry_at: LATER, retry_rule: 'retry' as const, retry_event: 'e2' };
      expect(behind({}, retry)).toEqual({ rule: 'earlier_publication', until: LATER, eventId: 'e2' });
    });

    it('is none if only later ones are in the queue', () => {
      expect(findHold(row(), channel(), { ...FIRST, sequence: 3 }, NOW, MINUTE)).toBeNull();
    });

    it('ignores its own attempts until it is next', () => {
      const own = row({ retry_at: LATER, retry_rule: 'retry' });
      expect(findHold(own, channel(), FIRST, NOW, MINUTE)?.rule).toBe('earlier_publication');
    });

    it('is the hold of the whole channel, if there is one', () => {
      expect(behind({ paused_until: LATER, pause_event: 'e4' })).toEqual({
        rule: 'channel_pause',
        until: LATER,
        eventId: 'e4',
      });
      expect(behind({ attention_until: LATER, attention_event: 'e5' })?.rule).toBe('needs_attention');
      expect(behind({ enabled: false })?.rule).toBe('needs_attention');
    });
  });
});
