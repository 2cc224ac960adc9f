import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channelPause } from '../../domain/channel-pause/channel-pause.decider.js';
import { projectPause } from '../../domain/project-pause/project-pause.decider.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { isRejection } from '../../kernel/result.js';
import { allDone, done, type Done } from '../command-result.js';

/** Lifts the pauses of projects and channels; what is not paused stays as it is (publish-api.md: temp-resume; D-21). */
export class ResumeTargets extends Command<Done> {
  constructor(
    readonly execution: Execution,
    readonly scope: { readonly projectIds?: readonly string[]; readonly channelIds?: readonly string[] },
  ) {
    super();
  }
}

@CommandHandler(ResumeTargets)
export class ResumeTargetsHandler implements ICommandHandler<ResumeTargets> {
  constructor(private readonly streams: Streams) {}

  async execute({ execution, scope: { projectIds = [], channelIds = [] } }: ResumeTargets): Promise<Done> {
    const resume = { type: 'Resume', at: execution.at } as const;
    const results: Done[] = [];
    for (const projectId of projectIds) {
      const result = done(await this.streams.run(projectPause, projectId, { ...resume, projectId }, execution));
      if (!isRejection(result)) results.push(result);
    }
    for (const channelId of channelIds) {
      const result = done(await this.streams.run(channelPause, channelId, { ...resume, channelId }, execution));
      if (!isRejection(result)) results.push(result);
    }
    return allDone(results);
  }
}
