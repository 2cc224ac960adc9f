import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { DisabledBy } from '../../domain/endpoint/endpoint.events.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { eventId } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { streamOf } from '../../kernel/decider.js';
import { isRejection } from '../../kernel/result.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';

/**
 * The gateway itself switches an endpoint off (D-8), once for each time that it was switched on: a late repeat, from a
 * process that stood still meanwhile, does not undo its owner's enabling. Answers the id of the event that says so; null
 * where it is off for another reason.
 */
export class DisableEndpoint extends Command<string | null> {
  constructor(
    readonly endpointId: string,
    readonly by: Exclude<DisabledBy, 'owner'>,
    /** Position of the event that switched it on last. */
    readonly epoch: string,
    readonly reason: string,
    readonly requestId: string,
  ) {
    super();
  }
}

/** Of the command that switches an endpoint off, whoever gives it: one event for each time that it was switched on. */
export const disablingId = (endpointId: string, by: DisableEndpoint['by'], epoch: string): string =>
  `disable/${endpointId}/${by}/${epoch}`;

/** Why an endpoint is switched off by the plan, for people. */
export const withoutInput = (plan: Plan): string => `the plan "${plan}" has no webhook input`;

/** What shows that an endpoint is off: who was told so, and looks, sees it. */
const VIEWS = ['discovery'];
/** How long a refusal waits for the views, ms. It stands without them. */
const VIEWS_MS = 1_000;

@CommandHandler(DisableEndpoint)
export class DisableEndpointHandler implements ICommandHandler<DisableEndpoint> {
  constructor(
    private readonly streams: Streams,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute({ endpointId, by, epoch, reason, requestId }: DisableEndpoint): Promise<string | null> {
    const commandId = disablingId(endpointId, by, epoch);
    const origin = { actor: 'system:gate', requestId, causationId: requestId, correlationId: requestId };
    const command = { type: 'DisableEndpoint', endpointId, by, reason } as const;
    const execution = { ...origin, commandId, at: this.clock.now() };
    const decided = await this.streams.run(endpoint, endpointId, command, execution);
    if (isRejection(decided) || decided.events.length === 0) return null;
    await this.progress.waitFor(VIEWS, decided.after.position, VIEWS_MS);
    return eventId(commandId, streamOf(endpoint, endpointId), 0);
  }
}
