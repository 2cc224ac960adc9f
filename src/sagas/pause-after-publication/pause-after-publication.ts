import { channelPause } from '../../domain/channel-pause/channel-pause.decider.js';
import type { Pause } from '../../domain/pause/pause.js';
import { projectPause } from '../../domain/project-pause/project-pause.decider.js';
import type { Streams } from '../../event-store/aggregate-store.js';
import type { Instant } from '../../kernel/instant.js';
import type { Origin } from '../../kernel/events.js';
import type { PublishPayload } from '../../payload/payload.js';

/** A publication that a network has just taken, before that is recorded. */
export interface TakenPublication {
  readonly postId: string;
  readonly projectId: string;
  readonly channelId: string;
  readonly payload: Pick<PublishPayload, 'ad_pause_minutes' | 'ad_target_pause_minutes'>;
  readonly at: Instant;
  readonly origin: Omit<Origin, 'actor'>;
}

const ACTOR = 'system:pause-after-publication';

/**
 * The pauses that a post brings along (publish-api.md: Project and target pauses): the first success pauses the project for
 * `ad_pause_minutes`, each success its channel for `ad_target_pause_minutes`.
 *
 * Whoever publishes applies them once the network has taken the post and **before** the success is recorded, in the same
 * unit of work and still holding the channel. So whoever sees the success finds its pauses in force: the next post of the
 * channel cannot go, not even after a crash in between, and a post that is accepted afterwards does not enter the
 * project. A saga behind the success would leave a gap, however short, in which both could.
 */
export class PauseAfterPublication {
  /** @param minuteMs length of a pause-minute, ms (setting MINUTE_MS) */
  constructor(
    private readonly streams: Streams,
    private readonly minuteMs: number,
  ) {}

  /**
   * Applies a post's pauses; a post asks each project and channel once, however often this is repeated, and never
   * shortens a pause.
   * @throws Unavailable the success must not be recorded then.
   */
  async apply({ postId, projectId, channelId, payload, at, origin }: TakenPublication): Promise<void> {
    const { ad_pause_minutes: projectMinutes = 0, ad_target_pause_minutes: channelMinutes = 0 } = payload;
    const execution = { ...origin, actor: ACTOR, commandId: `pause-after-publication/${postId}`, at };
    const pause = (minutes: number): Pause => ({
      type: 'Pause',
      ...{ at, minutes, minuteMs: this.minuteMs, source: 'publication', postId },
    });
    await Promise.all([
      projectMinutes > 0 &&
        this.streams.run(projectPause, projectId, { ...pause(projectMinutes), projectId }, execution),
      channelMinutes > 0 &&
        this.streams.run(channelPause, channelId, { ...pause(channelMinutes), channelId }, execution),
    ]);
  }
}
