import { Inject } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock, MINUTE_MS } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import type { TempPauseBody } from '../../payload/validate-pauses.js';
import type { SnapshotProject } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { CountRescheduled } from '../../projections/publish-schedule/rescheduled.queries.js';
import { type Completed, requireCompleted } from '../command-result.js';
import { newCommandContext } from '../origin.js';
import { listAllTargets, resolveTargets } from '../resolve-targets.js';
import { PauseTargets } from './pause-targets.js';

/** The effect of temp-pause or temp-resume, as the response reports it (D-21, D-45). */
export interface PauseChangeResult extends Completed {
  readonly projectsAffected: number;
  /** Number of channels. */
  readonly resourcesAffected: number;
  /** Number of publications whose earliest time changed. */
  readonly rescheduled: number;
}

/**
 * Pauses an endpoint's projects, some of its channels, or both, without publishing (publish-api.md: temp-pause; D-21,
 * D-45).
 */
export class TempPause extends Command<PauseChangeResult | Rejection<'invalid_targets'>> {
  constructor(
    readonly origin: Origin,
    /** The endpoint's projects. */
    readonly projects: readonly SnapshotProject[],
    readonly body: TempPauseBody,
  ) {
    super();
  }
}

/** Each pause has its own stream: if this fails halfway, sending the request again completes it. */
@CommandHandler(TempPause)
export class TempPauseHandler implements ICommandHandler<TempPause> {
  constructor(
    private readonly commands: CommandBus,
    private readonly countRescheduled: CountRescheduled,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MINUTE_MS) private readonly minuteMs: number,
  ) {}

  async execute({ origin, projects, body }: TempPause): Promise<PauseChangeResult | Rejection<'invalid_targets'>> {
    const targets = resolveTargets(projects, body.targets);
    if (isRejection(targets)) return targets;
    const { minuteMs } = this;
    const at = this.clock.now();
    const { project_minutes, target_minutes } = body;
    const projectIds = project_minutes > 0 ? targets.projectIds : [];
    const channelIds = target_minutes > 0 ? targets.channelIds : [];
    const rescheduled = await this.countRescheduled.execute(
      at,
      { ids: projectIds, until: at + project_minutes * minuteMs },
      { ids: channelIds, until: at + target_minutes * minuteMs },
    );
    const scope = {
      projects: { ids: projectIds, minutes: project_minutes },
      channels: { ids: channelIds, minutes: target_minutes },
    };
    const context = newCommandContext(origin, 'temp-pause', at);
    const { position } = requireCompleted(
      await this.commands.execute(new PauseTargets(context, scope, { source: 'temp-pause' })),
    );
    // D-45: pausing only projects counts all their channels, even if the request names only some of them.
    const resources = target_minutes > 0 ? channelIds : listAllTargets(projects).channelIds;
    return { position, projectsAffected: projectIds.length, resourcesAffected: resources.length, rescheduled };
  }
}
