import { Inject, Injectable } from '@nestjs/common';
import {
  type LoggedRequest,
  requestLogStream,
  type RequestsLogged,
  RETAINED_EVENTS,
} from '../domain/request-log/request-log.events.js';
import { AggregateStore, emptyAggregate, type LoadedAggregate } from '../event-store/aggregate-store.js';
import { BEGINNING, WrongExpectedRevision } from '../event-store/port.js';
import { CLOCK, type Clock } from '../kernel/clock.js';
import { newUuid } from '../kernel/ids.js';
import { BoundedCache } from '../runtime/bounded-cache.js';

const MAX_CONFLICTS = 50;
const MAX_CACHED_ENDS = 10_000;

type LogEnd = Omit<LoadedAggregate<unknown>, 'state'>;

/** Logs up to 100 requests to an endpoint that created no post (D-33). */
@Injectable()
export class LogRequests {
  /** Last known ends of the logs that this process has written to. */
  private readonly ends = new BoundedCache<LogEnd>(MAX_CACHED_ENDS);

  constructor(
    private readonly aggregates: AggregateStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param requests ordered by the time of their responses @throws Unavailable */
  async execute(endpointId: string, requests: readonly LoggedRequest[]): Promise<void> {
    const stream = requestLogStream(endpointId);
    const event: RequestsLogged = { type: 'RequestsLogged', data: { endpointId, requests } };
    const id = newUuid();
    // Requests of several clients may share the event; each is logged with its own address.
    const origin = { actor: 'system:gate', requestId: '', causationId: id, correlationId: id, clientAddress: null };
    const context = { ...origin, commandId: id, at: this.clock.now() };
    for (let conflicts = 0; ; conflicts++) {
      const end = this.ends.get(stream) ?? (await this.readEnd(stream));
      const encoded = await this.aggregates.encodeEvents(stream, [event], end, context);
      try {
        const { revision, position } = await this.aggregates.appendWithRetry(stream, end.revision, encoded.events);
        this.ends.set(stream, { revision, position, hash: encoded.hash });
        return;
      } catch (error) {
        this.ends.delete(stream); // another process has written in the meantime, or the outcome is unknown
        if (!(error instanceof WrongExpectedRevision) || conflicts >= MAX_CONFLICTS) throw error;
      }
    }
  }

  private async readEnd(stream: string): Promise<LogEnd> {
    const last = await this.aggregates.readLastEvent(stream);
    if (!last) await this.aggregates.store.setRetention(stream, RETAINED_EVENTS);
    return last ?? { ...emptyAggregate({ initial: null }), position: BEGINNING };
  }
}
