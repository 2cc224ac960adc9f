import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type AnsweredRequest,
  type RequestsLogged,
  requestLogStream,
} from '../../domain/request-log/request-log.events.js';
import { BEGINNING, WrongExpectedRevision } from '../../event-store/port.js';
import { type Loaded, nothingYet, Streams } from '../../event-store/aggregate-store.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import { newUuid } from '../../kernel/ids.js';

/** Keeps what an endpoint answered to requests that brought no post (D-33). At most 100 at a time. */
export class LogRequests extends Command<void> {
  constructor(
    readonly endpointId: string,
    /** In the order of their answers. */
    readonly requests: readonly AnsweredRequest[],
  ) {
    super();
  }
}

/** Spec: Limits, request log. An event holds at least one request. */
const KEPT_EVENTS = 100;
const MAX_CONFLICTS = 50;
const MAX_REMEMBERED = 10_000;

type End = Omit<Loaded<unknown>, 'state'>;

@CommandHandler(LogRequests)
export class LogRequestsHandler implements ICommandHandler<LogRequests> {
  /** Where the logs that this process has written to ended. */
  private readonly ends = new Map<string, End>();

  constructor(
    private readonly streams: Streams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws Unavailable */
  async execute({ endpointId, requests }: LogRequests): Promise<void> {
    const stream = requestLogStream(endpointId);
    const event: RequestsLogged = { type: 'RequestsLogged', data: { endpointId, requests } };
    const id = newUuid();
    const origin = { actor: 'system:gate', requestId: '', causationId: id, correlationId: id };
    const execution = { ...origin, commandId: id, at: this.clock.now() };
    for (let conflicts = 0; ; conflicts++) {
      const end = this.ends.get(stream) ?? (await this.endOf(stream));
      const encoded = this.streams.encode(stream, [event], end, execution);
      try {
        const { revision, position } = await this.streams.appendSurely(stream, end.revision, encoded.events);
        this.remember(stream, { revision, position, hash: encoded.hash });
        return;
      } catch (error) {
        this.ends.delete(stream); // another process has written, or nobody knows
        if (!(error instanceof WrongExpectedRevision) || conflicts >= MAX_CONFLICTS) throw error;
      }
    }
  }

  private async endOf(stream: string): Promise<End> {
    const last = await this.streams.last(stream);
    if (!last) await this.streams.store.setRetention(stream, KEPT_EVENTS);
    return last ?? { ...nothingYet({ initial: null }), position: BEGINNING };
  }

  private remember(stream: string, end: End): void {
    this.ends.delete(stream);
    if (this.ends.size >= MAX_REMEMBERED) this.ends.delete(this.ends.keys().next().value!);
    this.ends.set(stream, end);
  }
}
