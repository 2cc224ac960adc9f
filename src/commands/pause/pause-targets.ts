import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channelPause } from '../../domain/channel-pause/channel-pause.decider.js';
import type { Pause } from '../../domain/pause/pause.js';
import { projectPause } from '../../domain/project-pause/project-pause.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { isRejection } from '../../kernel/result.js';
import { allDone, done, type Done } from '../command-result.js';

/** What is to be paused, and for how many minutes (1..1440). */
export interface PauseScope {
  readonly projects?: { readonly ids: readonly string[]; readonly minutes: number };
  readonly channels?: { readonly ids: readonly string[]; readonly minutes: number };
}

/** Pauses projects, channels or both without publishing; never shortens a longer pause (publish-api.md: temp-pause; D-21). */
export class PauseTargets extends Command<Done> {
  constructor(
    readonly execution: Execution,
    readonly scope: PauseScope,
    readonly source: 'temp-pause' | 'management',
    /** Length of a pause-minute, ms (setting MINUTE_MS). */
    readonly minuteMs: number,
  ) {
    super();
  }
}

/** May be repeated as a whole: each pause is a stream of its own, and takes the command once. */
@CommandHandler(PauseTargets)
export class PauseTargetsHandler implements ICommandHandler<PauseTargets> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, scope: { projects, channels }, source, minuteMs }: PauseTargets): Promise<Done> {
    const pause = (minutes: number): Pause => ({
      type: 'Pause',
      at: execution.at,
      ...{ minutes, minuteMs, source, postId: null },
    });
    const results: Done[] = [];
    for (const projectId of projects?.ids ?? []) {
      const command = { ...pause(projects!.minutes), projectId };
      const result = done(await this.streams.run(projectPause, projectId, command, execution));
      if (!isRejection(result)) results.push(result);
    }
    for (const channelId of channels?.ids ?? []) {
      const command = { ...pause(channels!.minutes), channelId };
      const result = done(await this.streams.run(channelPause, channelId, command, execution));
      if (!isRejection(result)) results.push(result);
    }
    return allDone(results);
  }
}
