import type { EventCodec } from '../event-store/codec.js';
import type { EventStore, Position } from '../event-store/port.js';
import type { Instant } from '../kernel/clock.js';

/** Reads when events were written. */
export class EventTimes {
  constructor(
    private readonly store: Pick<EventStore, 'readAll'>,
    private readonly codec: Pick<EventCodec, 'readEnvelope'>,
  ) {}

  /** Reads the time of the event after a position: `none` if there is no such event, null if the event is damaged. */
  async readAfter(position: Position): Promise<Instant | 'none' | null> {
    const [next] = await this.store.readAll({ after: position, limit: 1 });
    if (!next) return 'none';
    try {
      const { at } = this.codec.readEnvelope(next);
      return Number.isFinite(at) ? at : null;
    } catch {
      return null;
    }
  }
}
