import { Injectable } from '@nestjs/common';
import type { Origin } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import type { PublishPayload } from '../../payload/payload.js';
import { requireCompleted } from '../command-result.js';
import { PauseTargets, PauseTargetsHandler } from './pause-targets.js';

/** A publication that a network has just accepted, before the success is recorded. */
export interface AcceptedPublication {
  readonly postId: string;
  readonly projectId: string;
  readonly channelId: string;
  readonly payload: Pick<PublishPayload, 'ad_pause_minutes' | 'ad_target_pause_minutes'>;
  readonly at: Instant;
  readonly origin: Omit<Origin, 'actor'>;
}

const ACTOR = 'system:pause-after-publication';

/**
 * Applies the pauses that a post requests (publish-api.md: Project and target pauses): the first success pauses the
 * project for `ad_pause_minutes`, each success pauses its channel for `ad_target_pause_minutes`.
 *
 * The publishing worker applies them after the network has accepted the post and **before** it records the success,
 * while it still holds the channel. So the pauses are in force as soon as the success is visible: the channel's next
 * post cannot be sent, not even after a crash in between, and posts accepted afterwards wait for the pause to end.
 */
@Injectable()
export class PauseAfterPublication {
  constructor(private readonly pauseTargets: PauseTargetsHandler) {}

  /**
   * Applies a post's pauses. Idempotent: repeated calls do not pause a project or channel again. Never shortens a pause.
   * @throws Unavailable; the caller must then not record the publication as published
   */
  async apply({ postId, projectId, channelId, payload, at, origin }: AcceptedPublication): Promise<void> {
    const { ad_pause_minutes: projectMinutes = 0, ad_target_pause_minutes: channelMinutes = 0 } = payload;
    const context = { ...origin, actor: ACTOR, commandId: `pause-after-publication/${postId}`, at };
    const scope = {
      projects: { ids: projectMinutes > 0 ? [projectId] : [], minutes: projectMinutes },
      channels: { ids: channelMinutes > 0 ? [channelId] : [], minutes: channelMinutes },
    };
    const command = new PauseTargets(context, scope, { source: 'publication', postId });
    requireCompleted(await this.pauseTargets.execute(command));
  }
}
