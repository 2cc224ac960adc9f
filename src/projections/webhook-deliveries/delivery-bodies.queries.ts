import type { DeliveryBodyPartStored } from '../../domain/delivery/delivery.events.js';
import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore } from '../../event-store/port.js';
import type { DeliveryWithBody } from './webhook-deliveries.queries.js';

/** Returns the name of the stream of a large body's parts (D-42). */
export const bodyStreamName = (deliveryId: string): string => `deliveryBody-${deliveryId}`;

/** Reads the bodies of deliveries; those that were stored in parts are assembled. */
export class DeliveryBodies {
  constructor(
    private readonly store: EventStore,
    private readonly codec: EventCodec,
  ) {}

  /** Returns a delivery's body, as it is signed and sent. @throws Unavailable */
  async readBody({
    delivery_id,
    body,
    parts,
  }: Pick<DeliveryWithBody, 'delivery_id' | 'body' | 'parts'>): Promise<string> {
    if (body !== null || parts === null) return body ?? '';
    const stored = await this.store.readStream(bodyStreamName(delivery_id), { limit: parts });
    const chunks = stored.map((part) => this.codec.decode<DeliveryBodyPartStored>(part).data.chunk);
    return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, 'base64'))).toString('utf8');
  }
}
