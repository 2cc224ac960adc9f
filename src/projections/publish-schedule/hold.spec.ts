import { holdOf } from './hold.js';
import { channelRow, type ScheduledChannel, type ScheduledPublication } from './publish-schedule.tables.js';

const NOW = 1_000_000;
const MINUTE = 60_000;
const [SOON, LATER, LATEST] = [NOW + 10_000, NOW + 20_000, NOW + 30_000];

const row = (change: Partial<ScheduledPublication> = {}): ScheduledPublication => ({
  ...{ publication_id: 'pub_2', post_id: 'post_2', post_stream: 'post-2', post_revision: '0', channel_id: 'tgt_1' },
  ...{
    project_id: 'prj_1',
    owner_id: 'own_1',
    platform: 'telegram',
    sequence: 2,
    accepted_at: NOW - 1_000,
    not_before: 0,
    gate_event: null,
  },
  ...{ state: 'queued' as const, attempt: 0, retry_at: 0, retry_rule: null, retry_event: null },
  ...change,
});
const channel = (change: Partial<ScheduledChannel> = {}): ScheduledChannel => ({
  ...channelRow('tgt_1', 'telegram'),
  ...change,
});
const FIRST = row({ publication_id: 'pub_1', sequence: 1 });

/** What holds a row that is its channel's head. */
const ofHead = (change: Partial<ScheduledPublication>, of: Partial<ScheduledChannel> = {}) =>
  holdOf(row(change), channel(of), row(change), NOW, MINUTE);

describe('what holds a publication back (D-36)', () => {
  it('nothing, where it is next and due', () => expect(ofHead({})).toBeNull());

  it.each(['publishing', 'failed', 'in_doubt'] as const)('nothing, where it is %s', (state) => {
    expect(ofHead({ state, retry_at: LATER }, { paused_until: LATER })).toBeNull();
  });

  it('a project’s pause that it was accepted in, until that ends', () => {
    const gated = { not_before: LATER, gate_event: 'e1' };
    expect(holdOf(row(gated), channel(), FIRST, NOW, MINUTE)).toEqual({
      rule: 'project_pause',
      until: LATER,
      eventId: 'e1',
    });
    expect(holdOf(row(gated), channel(), null, LATER, MINUTE)?.rule).not.toBe('project_pause');
  });

  it.each([
    ['retry', 'retry'],
    ['interrupted', 'retry'],
    ['platform_limit', 'platform_limit'],
    ['needs_attention', 'needs_attention'],
    ['quota', 'quota'],
  ] as const)('its last attempt, put off by %s: told as %s', (retry_rule, rule) => {
    const put = { retry_at: LATER, retry_rule, retry_event: 'e2' };
    expect(ofHead(put)).toEqual({ rule, until: LATER, eventId: 'e2' });
    expect(ofHead({ ...put, retry_at: NOW })).toBeNull();
  });

  it('the distance in a backlog, a minute after the one before', () => {
    const backlog = { last_backlog_at: NOW - 20_000, pause_end: NOW, pause_event: 'e3' };
    const held = { rule: 'backlog_spacing', until: NOW + 40_000, eventId: 'e3' };
    expect(ofHead({}, backlog)).toEqual(held);
    expect(ofHead({ not_before: NOW - 5, gate_event: 'e1' }, { ...backlog, pause_end: 0 })).toEqual({
      ...held,
      eventId: 'e1',
    });
    expect(ofHead({ accepted_at: NOW }, backlog)).toBeNull(); // came after the pause
    expect(ofHead({ attempt: 1 }, backlog)).toBeNull(); // has had its place
    expect(ofHead({}, { ...backlog, last_backlog_at: NOW - MINUTE })).toBeNull();
  });

  it('of several rules the one that ends last', () => {
    const retry = { retry_at: LATER, retry_rule: 'retry' as const, retry_event: 'e2' };
    expect(ofHead(retry, { paused_until: SOON, pause_event: 'e4' })?.rule).toBe('retry');
    expect(ofHead(retry, { paused_until: LATEST, pause_event: 'e4' })).toEqual({
      rule: 'channel_pause',
      until: LATEST,
      eventId: 'e4',
    });
    const attention = { attention_until: LATEST, attention_event: 'e5', paused_until: LATER };
    expect(ofHead(retry, attention)).toEqual({ rule: 'needs_attention', until: LATEST, eventId: 'e5' });
    expect(ofHead({ not_before: LATER }, { paused_until: LATEST })?.rule).toBe('channel_pause');
    expect(ofHead(retry, { ...attention, enabled: false })).toEqual({
      rule: 'needs_attention',
      until: null,
      eventId: null,
    });
  });

  describe('behind another one', () => {
    const behind = (of: Partial<ScheduledChannel>, head: Partial<ScheduledPublication> = {}) =>
      holdOf(row(), channel(of), { ...FIRST, ...head }, NOW, MINUTE);

    it('its place in the queue, for as long as the first is held', () => {
      expect(behind({})).toEqual({ rule: 'earlier_publication', until: null, eventId: null });
      expect(behind({}, { state: 'publishing' })).toEqual({ rule: 'earlier_publication', until: null, eventId: null });
      const retry = { retry_at: LATER, retry_rule: 'retry' as const, retry_event: 'e2' };
      expect(behind({}, retry)).toEqual({ rule: 'earlier_publication', until: LATER, eventId: 'e2' });
    });

    it('its own attempts count only when it is next', () => {
      const own = row({ retry_at: LATER, retry_rule: 'retry' });
      expect(holdOf(own, channel(), FIRST, NOW, MINUTE)?.rule).toBe('earlier_publication');
    });

    it('what stops the whole channel', () => {
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
