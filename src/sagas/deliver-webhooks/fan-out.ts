import { Injectable } from '@nestjs/common';
import { ScheduleDelivery } from '../../commands/delivery.js';
import type { WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { Origin, RecordedEvent } from '../../kernel/events.js';
import { deriveTimedId, type JsonObject } from '../../kernel/ids.js';
import { isRejection } from '../../kernel/result.js';
import type { ProjectOutput } from '../../projections/discovery/discovery.queries.js';
import { causedBy } from '../engine/event-saga.js';

/** Name of the saga. */
export const NAME = 'schedule-deliveries';

/**
 * Maximum number of deliveries, and of bytes of their bodies, that an event schedules at a time. Appends of other owners
 * get in between.
 */
const AT_A_TIME = { deliveries: 50, bytes: 1_048_576 };

/** Name and time that the ids of deliveries are derived from. */
interface DeliverySubject {
  readonly name: string;
  readonly at: Instant;
}

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
    subject: DeliverySubject = { name: event.id, at: event.at },
  ): Promise<void> {
    await this.send(outputs, kind, content, { ...causedBy(event, NAME), at: event.at }, subject);
  }

  /** @param origin of the events, and their time @param subject see {@link deliver} */
  async send(
    outputs: readonly ProjectOutput[],
    kind: WebhookKind,
    content: JsonObject,
    { at, ...origin }: Origin & { readonly at: Instant },
    subject: DeliverySubject,
  ): Promise<void> {
    const body = JSON.stringify({ kind, ...content });
    const size = Math.max(1, Math.min(AT_A_TIME.deliveries, Math.floor(AT_A_TIME.bytes / Buffer.byteLength(body))));
    for (let from = 0; from < outputs.length; from += size) {
      await Promise.all(
        outputs.slice(from, from + size).map(async ({ outputId, ownerId }) => {
          const deliveryId = deriveTimedId('dlv', `${outputId}/${kind}/${subject.name}`, subject.at);
          const context = { ...origin, commandId: `schedule/${deliveryId}`, at };
          const data = { deliveryId, outputId, ownerId, kind, body, at };
          const outcome = await this.scheduleDelivery.execute(context, data);
          if (isRejection(outcome)) throw new Error(`failed to schedule a delivery: ${outcome.message}`);
        }),
      );
    }
  }
}
