import { Injectable } from '@nestjs/common';
import { ScheduleDelivery } from '../../commands/delivery/schedule-delivery.js';
import type { WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import type { RecordedEvent } from '../../kernel/events.js';
import { deriveTimedId } from '../../kernel/ids.js';
import type { Instant } from '../../kernel/instant.js';
import type { JsonObject } from '../../kernel/json.js';
import { isRejection } from '../../kernel/result.js';
import type { ProjectOutput } from '../../projections/discovery/project-outputs.queries.js';
import { causedBy } from '../engine/caused-by.js';

/** Name of the saga. */
export const NAME = 'schedule-deliveries';

/** Schedules the deliveries of an event to several webhook outputs. */
@Injectable()
export class DeliveryFanOut {
  constructor(private readonly scheduleDelivery: ScheduleDelivery) {}

  /** @param subject name and time that the delivery ids are derived from; default: the event */
  async deliver(
    outputs: readonly ProjectOutput[],
    kind: WebhookKind,
    content: JsonObject,
    event: RecordedEvent,
    subject: { readonly name: string; readonly at: Instant } = { name: event.id, at: event.at },
  ): Promise<void> {
    const body = JSON.stringify({ kind, ...content });
    const origin = causedBy(event, NAME);
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
