import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import { channelPause } from '../../domain/channel-pause/channel-pause.decider.js';
import type { PauseRequest } from '../../domain/pause/pause.js';
import { project } from '../../domain/project/project.decider.js';
import { projectPause } from '../../domain/project-pause/project-pause.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { MINUTE_MS } from '../../kernel/clock.js';
import type { Rejection } from '../../kernel/result.js';
import { type Completed, latestCompleted } from '../command-result.js';
import { rejectForeign } from '../reject-foreign.js';
import { executeEach } from './execute-each.js';

/** The projects and channels to pause, and for how many minutes (1..1440). */
export interface PauseScope {
  readonly projects?: { readonly ids: readonly string[]; readonly minutes: number };
  readonly channels?: { readonly ids: readonly string[]; readonly minutes: number };
}

/** The cause of a pause. A post pauses a target only once; repeated commands for the same post do nothing. */
export type PauseCause =
  { readonly source: 'temp-pause' | 'management' } | { readonly source: 'publication'; readonly postId: string };

/**
 * Pauses projects, channels or both; never shortens a longer pause (publish-api.md: Project and target pauses; D-21).
 */
export class PauseTargets extends Command<Completed | Rejection<'not_found'>> {
  constructor(
    readonly context: CommandContext,
    readonly scope: PauseScope,
    readonly cause: PauseCause,
  ) {
    super();
  }
}

/** Safe to repeat as a whole: each pause has its own stream, which applies the command once. */
@CommandHandler(PauseTargets)
export class PauseTargetsHandler implements ICommandHandler<PauseTargets> {
  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  /** @throws Unavailable: some of the pauses may already be in force */
  async execute({
    context,
    scope: { projects, channels },
    cause,
  }: PauseTargets): Promise<Completed | Rejection<'not_found'>> {
    const foreign =
      (await rejectForeign(this.aggregates, project, projects?.ids ?? [], context)) ??
      (await rejectForeign(this.aggregates, channel, channels?.ids ?? [], context));
    if (foreign) return foreign;
    const { minuteMs } = this;
    const { source } = cause;
    const postId = source === 'publication' ? cause.postId : null;
    const pauseFor = (minutes: number): PauseRequest => ({ at: context.at, minutes, minuteMs, source, postId });
    const completed = await Promise.all([
      executeEach(projects?.ids, (projectId) => {
        const command = { type: 'PauseProject', ...pauseFor(projects!.minutes), projectId } as const;
        return this.aggregates.execute(projectPause, projectId, command, context);
      }),
      executeEach(channels?.ids, (channelId) => {
        const command = { type: 'PauseChannel', ...pauseFor(channels!.minutes), channelId } as const;
        return this.aggregates.execute(channelPause, channelId, command, context);
      }),
    ]);
    return latestCompleted(completed.flat());
  }
}
