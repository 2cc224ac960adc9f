import { Inject } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import type { TempPauseBody } from '../../payload/validate-pauses.js';
import type { AccessProject } from '../../projections/discovery/endpoint-access.queries.js';
import { CountRescheduled } from '../../projections/publish-schedule/rescheduled.queries.js';
import type { Done } from '../command-result.js';
import { allTargets, namedTargets } from './named-targets.js';
import { execution } from '../origin.js';
import { PauseTargets } from './pause-targets.js';

/** What temp-pause and temp-resume came to, as they are answered (D-21, D-45). */
export interface PausesMoved extends Done {
  readonly projectsAffected: number;
  /** Channels. */
  readonly resourcesAffected: number;
  /** Publications whose earliest time moved. */
  readonly rescheduled: number;
}

/** Pauses an endpoint's projects, some of its channels, or both, without publishing (publish-api.md: temp-pause; D-21, D-45). */
export class TempPause extends Command<PausesMoved | Rejection<'invalid_targets'>> {
  constructor(
    readonly origin: Origin,
    /** The endpoint's. */
    readonly projects: readonly AccessProject[],
    readonly body: TempPauseBody,
    /** Length of a pause-minute, ms (setting MINUTE_MS). */
    readonly minuteMs: number,
  ) {
    super();
  }
}

/** Each pause is a stream of its own: where this breaks off half-way, sending the request again completes it. */
@CommandHandler(TempPause)
export class TempPauseHandler implements ICommandHandler<TempPause> {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ origin, projects, body, minuteMs }: TempPause): Promise<PausesMoved | Rejection<'invalid_targets'>> {
    const ids = namedTargets(projects, body.targets);
    if (isRejection(ids)) return ids;
    const at = this.clock.now();
    const { project_minutes, target_minutes } = body;
    const projectIds = project_minutes > 0 ? ids.projectIds : [];
    const channelIds = target_minutes > 0 ? ids.channelIds : [];
    const rescheduled = await this.queries.execute(
      new CountRescheduled(
        at,
        { ids: projectIds, until: at + project_minutes * minuteMs },
        { ids: channelIds, until: at + target_minutes * minuteMs },
      ),
    );
    const scope = {
      projects: { ids: projectIds, minutes: project_minutes },
      channels: { ids: channelIds, minutes: target_minutes },
    };
    const run = execution(origin, 'temp-pause', at);
    const { position } = await this.commands.execute(new PauseTargets(run, scope, 'temp-pause', minuteMs));
    // D-45: a pause of projects alone counts their channels, whichever of them the request names.
    const resources = target_minutes > 0 ? channelIds : allTargets(projects).channelIds;
    return { position, projectsAffected: projectIds.length, resourcesAffected: resources.length, rescheduled };
  }
}
