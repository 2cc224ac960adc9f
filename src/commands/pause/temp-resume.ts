import { Inject } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import type { TempResumeBody } from '../../payload/validate-pauses.js';
import type { SnapshotProject } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { CountRescheduled } from '../../projections/publish-schedule/rescheduled.queries.js';
import { requireCompleted } from '../command-result.js';
import { newCommandContext } from '../origin.js';
import { listAllTargets, resolveTargets } from '../resolve-targets.js';
import { ResumeTargets } from './resume-targets.js';
import type { PauseChangeResult } from './temp-pause.js';

/**
 * Ends the pauses of an endpoint's projects, of some of its channels, or of both (publish-api.md: temp-resume; D-45).
 * Only pauses that this command ended count in the result (D-53).
 */
export class TempResume extends Command<PauseChangeResult | Rejection<'invalid_targets'>> {
  constructor(
    readonly origin: Origin,
    /** The endpoint's projects. */
    readonly projects: readonly SnapshotProject[],
    readonly body: TempResumeBody,
  ) {
    super();
  }
}

/** Each pause has its own stream: if this fails halfway, sending the request again completes it. */
@CommandHandler(TempResume)
export class TempResumeHandler implements ICommandHandler<TempResume> {
  constructor(
    private readonly commands: CommandBus,
    private readonly countRescheduled: CountRescheduled,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ origin, projects, body }: TempResume): Promise<PauseChangeResult | Rejection<'invalid_targets'>> {
    const { scope, targets } = body;
    const ids = resolveTargets(projects, scope === 'targets' ? targets : []);
    if (isRejection(ids)) return ids;
    const at = this.clock.now();
    const projectIds = scope === 'targets' ? [] : ids.projectIds;
    const channelIds = scope === 'project' ? [] : ids.channelIds;
    const rescheduled = await this.countRescheduled.execute(
      at,
      { ids: projectIds, until: null },
      { ids: channelIds, until: null },
    );
    const context = newCommandContext(origin, 'temp-resume', at);
    const resumed = requireCompleted(
      await this.commands.execute(new ResumeTargets(context, { projectIds, channelIds })),
    );
    // D-45: if only projects are resumed, their channels are counted, as when only projects are paused.
    const ofProjects = projects.filter(({ project_id }) => resumed.projectIds.includes(project_id));
    const resources = resumed.channelIds.length > 0 ? resumed.channelIds : listAllTargets(ofProjects).channelIds;
    const { position } = resumed;
    return { position, projectsAffected: resumed.projectIds.length, resourcesAffected: resources.length, rescheduled };
  }
}
