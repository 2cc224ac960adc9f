import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { delivery } from '../../domain/delivery/delivery.decider.js';
import { webhookOutput } from '../../domain/webhook-output/webhook-output.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection, reject } from '../../kernel/result.js';
import { type CommandOutcome, latestCompleted, toOutcome } from '../command-result.js';
import { COMMAND_MESSAGES } from '../messages.js';

/** Retries deliveries of one webhook output immediately, with their existing ids. */
export class RetryDeliveries extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly outputId: string,
    readonly deliveryIds: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(RetryDeliveries)
export class RetryDeliveriesHandler implements ICommandHandler<RetryDeliveries> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, outputId, deliveryIds }: RetryDeliveries): Promise<CommandOutcome> {
    const { state } = await this.aggregates.loadAggregate(webhookOutput, outputId);
    if (state && state.disabledBy !== null) return reject('output_disabled', COMMAND_MESSAGES.outputDisabled);
    const results = await Promise.all(
      deliveryIds.map(async (deliveryId) => {
        const command = { type: 'RequestRetry', deliveryId, at: context.at } as const;
        return toOutcome(await this.aggregates.execute(delivery, deliveryId, command, context));
      }),
    );
    const rejected = results.find(isRejection);
    return rejected ?? latestCompleted(results.flatMap((result) => (isRejection(result) ? [] : [result])));
  }
}
