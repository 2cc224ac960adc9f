import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { BodyParts, DeliveryBodyPartStored, DeliveryScheduled } from '../../domain/delivery/delivery.events.js';
import { EventCodec, isDamaged } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, type StoredEvent } from '../../event-store/port.js';
import type { DeliveryWithBody } from './webhook-deliveries.queries.js';

/**
 * Returns the name of the stream that holds the parts of a large body (D-42).
 * @param sha256 hash of the body, if it has its own stream; omit it for the stream of the body that was stored first
 * (ADR-153)
 */
export const bodyStreamName = (deliveryId: string, sha256?: string): string =>
  `deliveryBody-${deliveryId}${sha256 === undefined ? '' : `-${sha256}`}`;

/** Reads the bodies of deliveries. */
@Injectable()
export class DeliveryBodies {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
  ) {}

  /**
   * Returns a delivery's body exactly as it is signed and sent; null if it is missing or differs from the scheduled
   * body. If the read model lacks the body, because its retention has passed or it is stored in parts, it is read from
   * the event store.
   * @throws Unavailable
   */
  async readBody({ delivery_id, body }: Pick<DeliveryWithBody, 'delivery_id' | 'body'>): Promise<string | null> {
    if (body !== null) return body;
    const [stored] = await this.store.readStream(`delivery-${delivery_id}`, { limit: 1 });
    const scheduled = stored && this.decode<DeliveryScheduled>(stored);
    if (!scheduled) return null;
    return scheduled.body ?? (scheduled.parts ? this.assembleParts(delivery_id, scheduled.parts) : null);
  }

  /** Returns an event's data; null if it is damaged. */
  private decode<E extends DeliveryScheduled | DeliveryBodyPartStored>(stored: StoredEvent): E['data'] | null {
    try {
      return this.codec.decode<E>(stored).data;
    } catch (error) {
      if (isDamaged(error)) return null;
      throw error;
    }
  }

  private async assembleParts(deliveryId: string, { count, sha256 }: BodyParts): Promise<string | null> {
    for (const stream of [bodyStreamName(deliveryId), bodyStreamName(deliveryId, sha256)]) {
      const stored = await this.store.readStream(stream, { limit: count });
      const chunks = stored.map((part) => this.decode<DeliveryBodyPartStored>(part)?.chunk ?? '');
      const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, 'base64')));
      if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes.toString('utf8');
    }
    return null;
  }
}
