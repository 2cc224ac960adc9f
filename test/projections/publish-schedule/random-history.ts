import fc from 'fast-check';
import type { Instant } from '../../../src/kernel/clock.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import type { NaivePublication, NaiveSchedule } from './naive-schedule.js';

export const MINUTE = 60_000;
export const CHANNELS = ['tgt_north', 'tgt_south'];
export const PROJECTS = ['prj_one', 'prj_two', 'prj_three'];
const START = 1_800_000_000_000;

/** A step of a history: minutes that pass before it, what happens, and to which project, channel or publication. */
export const anyStep = fc.noBias(
  fc.record({
    after: fc.constantFrom(0, 0, 0, 0.5, 1, 3),
    action: fc.constantFrom(
      ...(['accept', 'accept', 'accept', 'accept', 'accept', 'pauseProject', 'pauseProject', 'pauseProject'] as const),
      ...([
        'resumeProject',
        'resumeProject',
        'pauseChannel',
        'resumeChannel',
        'attempt',
        'attempt',
        'attempt',
      ] as const),
      ...(['postpone', 'hold', 'filter', 'fail', 'decide'] as const),
    ),
    which: fc.nat({ max: 11 }),
    minutes: fc.integer({ min: 1, max: 20 }),
    endsBatch: fc.boolean(),
  }),
);
export type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/**
 * Turns steps into the events that deciders would have appended: a pause is only extended or lifted while it lasts, and a
 * publication starts only when it is its channel's head and due.
 */
export class RandomHistory {
  now: Instant = START;
  private events = 0;
  private readonly ends = new Map<string, Instant>();

  constructor(private readonly schedule: NaiveSchedule) {}

  connectChannels(): RecordedEvent[] {
    return CHANNELS.map((channelId) =>
      this.event('ChannelConnected', { channelId, ownerId: 'own_1', platform: 'telegram' }),
    );
  }

  /** Returns the events of a step; none if it is impossible now. */
  next({ after, action, which, minutes }: Step): RecordedEvent[] {
    this.now += after * MINUTE;
    const [channelId, projectId] = [CHANNELS[which % CHANNELS.length]!, PROJECTS[which % PROJECTS.length]!];
    switch (action) {
      case 'accept':
        return [this.accept(projectId, which < 6 ? CHANNELS : [channelId])];
      case 'pauseProject':
        return this.pause(projectId, minutes, (until) => this.event('ProjectPaused', { projectId, until }));
      case 'resumeProject':
        return this.resume(projectId, () => this.event('ProjectResumed', { projectId, at: this.now }));
      case 'pauseChannel':
        return this.pause(channelId, minutes, (until) => this.event('ChannelPaused', { channelId, until }));
      case 'resumeChannel':
        return this.resume(channelId, () => this.event('ChannelResumed', { channelId, at: this.now }));
      case 'decide':
        return this.decide(which);
      default:
        return this.actOnHead(channelId, action, minutes);
    }
  }

  private accept(projectId: string, channelIds: readonly string[]): RecordedEvent {
    const postId = `post_${this.events}`;
    const targets = channelIds.map((channelId) => ({
      publicationId: `pub_${this.events}_${channelId}`,
      channelId,
      platform: 'telegram',
      projectId,
    }));
    return this.event('PostAccepted', { postId, ownerId: 'own_1', acceptedAt: this.now, targets });
  }

  private pause(id: string, minutes: number, paused: (until: Instant) => RecordedEvent): RecordedEvent[] {
    const until = this.now + minutes * MINUTE;
    if (until <= (this.ends.get(id) ?? 0)) return [];
    this.ends.set(id, until);
    return [paused(until)];
  }

  private resume(id: string, resumed: () => RecordedEvent): RecordedEvent[] {
    if ((this.ends.get(id) ?? 0) <= this.now) return [];
    this.ends.delete(id);
    return [resumed()];
  }

  /** Attempts the head of a channel if it is due, or ends it without an attempt. */
  private actOnHead(channelId: string, action: Step['action'], minutes: number): RecordedEvent[] {
    const queue = this.schedule.readQueue(channelId, this.now);
    if (!queue || queue.due === null || queue.due > this.now) return [];
    const head = this.schedule.rows.find(({ publication_id }) => publication_id === queue.head)!;
    if (head.attempt === 0 && action === 'hold')
      return [this.eventOf(head, 'PublicationHeld', { until: this.now + minutes * MINUTE, rule: 'quota' })];
    if (head.attempt === 0 && action === 'filter') return [this.eventOf(head, 'PublicationFiltered', {})];
    const started = this.eventOf(head, 'PublicationStarted', { attempt: head.attempt + 1 });
    const [type, data] = {
      postpone: ['PublicationPostponed', { retryAt: this.now + minutes * MINUTE, rule: 'retry' }] as const,
      fail: ['PublicationFailed', { error: { code: 'refused' } }] as const,
    }[action as string] ?? ['PublicationSucceeded', {}];
    return [started, this.eventOf(head, type, data)];
  }

  /** Sends a failed publication again, or dismisses it. */
  private decide(which: number): RecordedEvent[] {
    const failed = this.schedule.rows.find(({ state }) => state === 'failed');
    if (!failed) return [];
    return [this.eventOf(failed, which % 2 === 0 ? 'PublicationResent' : 'PublicationDismissed', {})];
  }

  private eventOf({ publication_id, channel_id }: NaivePublication, type: string, data: object): RecordedEvent {
    const ids = { publicationId: publication_id, channelId: channel_id, ownerId: 'own_1', ownerRevision: 0 };
    return this.event(type, { ...ids, at: this.now, ...data });
  }

  private event(type: string, data: object): RecordedEvent {
    const id = `event_${++this.events}`;
    return { type, data, at: this.now, id, stream: `post-${id}`, revision: 0n } as unknown as RecordedEvent;
  }
}
