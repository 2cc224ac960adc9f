import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { DisabledBy } from '../../domain/endpoint/endpoint.events.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { deriveEventId } from '../../event-store/codec.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { streamOf } from '../../kernel/decider.js';
import { isRejection } from '../../kernel/result.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { DISABLED_REASONS } from '../messages.js';
import { originOfRequest, type RequestOrigin } from '../origin.js';

/**
 * Disables an endpoint on the gateway's own initiative (D-8), at most once each time it is enabled: a late retry by a
 * suspended process cannot disable an endpoint that its owner has since enabled again. Returns the id of the event that
 * disabled it; null if this command did not disable it.
 */
export class DisableEndpoint extends Command<string | null> {
  constructor(
    readonly endpointId: string,
    readonly by: Exclude<DisabledBy, 'owner'>,
    /** Position of the event that last enabled it. */
    readonly epoch: string,
    readonly reason: string,
    /** The request that caused the decision. */
    readonly request: RequestOrigin,
  ) {
    super();
  }
}

/**
 * Returns a command id that is the same in every process, so that an endpoint is disabled at most once after it was
 * last enabled.
 */
export const disableCommandId = (endpointId: string, by: DisableEndpoint['by'], epoch: string): string =>
  `disable/${endpointId}/${by}/${epoch}`;

/** Returns the human-readable reason why a plan disables an endpoint. */
export const planWithoutInputReason = (plan: Plan): string => DISABLED_REASONS.planWithoutInput({ plan });

/** Read models to wait for, so that they show the endpoint as disabled by the time the caller gets the rejection. */
const READ_MODELS = ['discovery'];
/** Maximum time to delay a rejection until the read models catch up, in ms. */
const READ_MODELS_TIMEOUT_MS = 1_000;

@CommandHandler(DisableEndpoint)
export class DisableEndpointHandler implements ICommandHandler<DisableEndpoint> {
  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly progress: ProjectionProgress,
  ) {}

  async execute({ endpointId, by, epoch, reason, request }: DisableEndpoint): Promise<string | null> {
    const commandId = disableCommandId(endpointId, by, epoch);
    const command = { type: 'DisableEndpoint', endpointId, by, reason } as const;
    const context = { ...originOfRequest('system:gate', request), commandId, at: this.clock.now() };
    const decided = await this.aggregates.execute(endpoint, endpointId, command, context);
    if (isRejection(decided) || decided.events.length === 0) return null;
    await this.progress.waitFor(READ_MODELS, decided.aggregate.position, READ_MODELS_TIMEOUT_MS);
    return deriveEventId(commandId, streamOf(endpoint, endpointId), 0);
  }
}
