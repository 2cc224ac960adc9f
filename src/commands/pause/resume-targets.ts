import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import { channelPause } from '../../domain/channel-pause/channel-pause.decider.js';
import { project } from '../../domain/project/project.decider.js';
import { projectPause } from '../../domain/project-pause/project-pause.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import type { Rejection } from '../../kernel/result.js';
import { type Completed, latestCompleted } from '../command-result.js';
import { rejectForeign } from '../reject-foreign.js';
import { type CompletedOn, executeEach } from './execute-each.js';

/** The projects and channels whose pauses a command ended (D-53). */
export interface Resumed extends Completed {
  readonly projectIds: readonly string[];
  readonly channelIds: readonly string[];
}

/**
 * Ends the pauses of projects and channels; skips projects and channels that are not paused (publish-api.md:
 * temp-resume; D-21).
 */
export class ResumeTargets extends Command<Resumed | Rejection<'not_found'>> {
  constructor(
    readonly context: CommandContext,
    readonly scope: { readonly projectIds?: readonly string[]; readonly channelIds?: readonly string[] },
  ) {
    super();
  }
}

/** Safe to repeat as a whole: each pause has its own stream, which applies the command once. */
@CommandHandler(ResumeTargets)
export class ResumeTargetsHandler implements ICommandHandler<ResumeTargets> {
  constructor(private readonly aggregates: AggregateStore) {}

  /** @throws Unavailable: some of the pauses may already have ended */
  async execute({
    context,
    scope: { projectIds = [], channelIds = [] },
  }: ResumeTargets): Promise<Resumed | Rejection<'not_found'>> {
    const foreign =
      (await rejectForeign(this.aggregates, project, projectIds, context)) ??
      (await rejectForeign(this.aggregates, channel, channelIds, context));
    if (foreign) return foreign;
    const { at } = context;
    const [projects, channels] = await Promise.all([
      executeEach(projectIds, (projectId) =>
        this.aggregates.execute(projectPause, projectId, { type: 'ResumeProject', at, projectId }, context),
      ),
      executeEach(channelIds, (channelId) =>
        this.aggregates.execute(channelPause, channelId, { type: 'ResumeChannel', at, channelId }, context),
      ),
    ]);
    const { position } = latestCompleted([...projects, ...channels]);
    return { position, projectIds: idsOfChanged(projects), channelIds: idsOfChanged(channels) };
  }
}

const idsOfChanged = (completed: readonly CompletedOn[]): readonly string[] =>
  completed.filter(({ isChanged }) => isChanged).map(({ id }) => id);
