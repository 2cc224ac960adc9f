import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { DisabledBy } from '../../domain/endpoint/endpoint.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import { deriveEventId } from '../../event-store/codec.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { streamOf } from '../../kernel/decider.js';
import { isRejection } from '../../kernel/result.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
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

/** Returns the same command id in every process, so an endpoint is disabled at most once each time it is enabled. */
export const disableCommandId = (endpointId: string, by: DisableEndpoint['by'], epoch: string): string =>
  `disable/${endpointId}/${by}/${epoch}`;

/** Maximum time to delay the rejection until the read model shows the endpoint as disabled, in ms. */
const READ_MODEL_TIMEOUT_MS = 1_000;

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
    await this.progress.waitFor(['discovery'], decided.aggregate.position, READ_MODEL_TIMEOUT_MS);
    return deriveEventId(commandId, streamOf(endpoint, endpointId), 0);
  }
}
