import { Injectable } from '@nestjs/common';
import { ScheduleDelivery } from '../../commands/delivery/schedule-delivery.js';
import type { WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import type { Origin, RecordedEvent } from '../../kernel/events.js';
import { deriveTimedId } from '../../kernel/ids.js';
import type { Instant } from '../../kernel/instant.js';
import type { JsonObject } from '../../kernel/json.js';
import { isRejection } from '../../kernel/result.js';
import type { ProjectOutput } from '../../projections/discovery/project-outputs.queries.js';

/** Name of the saga, which is recorded in the events that it causes. */
export const NAME = 'schedule-deliveries';

/** Schedules the deliveries of an event to several webhook outputs. */
@Injectable()
export class DeliveryFanOut {
  constructor(private readonly scheduleDelivery: ScheduleDelivery) {}

  /**
   * Schedules a delivery of the same body to each output.
   * @param subject name and time from which the ids of the deliveries are derived
   */
  async deliver(
    outputs: readonly ProjectOutput[],
    kind: WebhookKind,
    content: JsonObject,
    event: RecordedEvent,
    subject: { readonly name: string; readonly at: Instant },
  ): Promise<void> {
    const body = JSON.stringify({ kind, ...content });
    const origin = originOf(event);
    await Promise.all(
      outputs.map(async ({ outputId, ownerId }) => {
        const deliveryId = deriveTimedId('dlv', `${outputId}/${kind}/${subject.name}`, subject.at);
        const context = { ...origin, commandId: `schedule/${deliveryId}`, at: event.at };
        const data = { deliveryId, outputId, ownerId, kind, body, at: event.at };
        const outcome = await this.scheduleDelivery.execute(context, data);
        if (isRejection(outcome)) throw new Error(`failed to schedule a delivery: ${outcome.message}`);
      }),
    );
  }
}

/** Returns the origin of events that the given event causes. */
export const originOf = ({ id, requestId, correlationId }: RecordedEvent): Origin => ({
  actor: `system:${NAME}`,
  requestId,
  causationId: id,
  correlationId,
  clientAddress: null,
});
