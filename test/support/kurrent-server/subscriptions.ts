import { type ServiceError, status } from '@grpc/grpc-js';
import type streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { EventLog, LoggedEvent } from './event-log.js';
import type { Faults } from './faults.js';
import type { EventFilter } from './filter.js';
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  createFailure,
  eventMessage,
  fellBehindMessage,
} from './messages.js';
import { type ReadCall, waitForCallEvent, writeMessage } from './read-call.js';

/** Number of live events that the server buffers for a consumer, and unit of the checkpoint interval. */
const MAX_BUFFERED = 32;

/** How a slow consumer is treated. `drop`: servers up to 24.2; `catch-up`: later ones. */
export type SlowConsumerPolicy = 'drop' | 'catch-up';

type Live = { readonly event: LoggedEvent } | { readonly checkpoint: bigint };

/** Subscriptions to $all: catch-up in pages, then live from a buffer that overflows if the consumer is slow. */
export class Subscriptions {
  private readonly open = new Map<ReadCall, (how: 'cleanly' | 'with-error') => void>();

  constructor(
    private readonly log: EventLog,
    private readonly faults: Faults,
    private readonly slowConsumerPolicy: SlowConsumerPolicy,
  ) {}

  get count(): number {
    return this.open.size;
  }

  endAll(how: 'cleanly' | 'with-error'): void {
    for (const end of this.open.values()) end(how);
  }

  async serve(call: ReadCall, options: streams.ReadReq.Options, filter: EventFilter, structuredIds: boolean) {
    const interval = (options.getFilter()?.getCheckpointintervalmultiplier() ?? Infinity) * MAX_BUFFERED;
    const subscription = new Subscription(this.log, call, filter, structuredIds, interval);
    this.open.set(call, (how) => subscription.end(how));
    call.once('cancelled', () => subscription.end('cleanly'));
    let next = this.firstIndex(options);
    if (await writeMessage(call, confirmationMessage())) {
      while ((next = await subscription.follow(next)) >= 0 && this.slowConsumerPolicy === 'catch-up') {
        await writeMessage(call, fellBehindMessage());
      }
    }
    this.open.delete(call);
    if (next >= 0) {
      this.faults.slowDrops += 1;
      call.emit('error', slowConsumerError());
    }
  }

  /**
   * Returns the index of the first event. The start position is exclusive, as in 23.10: the server reads one event at
   * or after it and starts after that. If the event itself was scavenged, the next one is therefore skipped.
   */
  private firstIndex(options: streams.ReadReq.Options): number {
    const all = options.getAll();
    if (all?.hasStart()) return 0;
    if (!all?.hasPosition()) return this.log.events.length;
    return this.log.indexAt(BigInt(all.getPosition()?.getCommitPosition() ?? 0)) + 1;
  }
}

class Subscription {
  private isEnded = false;

  constructor(
    private readonly log: EventLog,
    private readonly call: ReadCall,
    private readonly filter: EventFilter,
    private readonly structuredIds: boolean,
    private readonly checkpointInterval: number,
  ) {}

  end(how: 'cleanly' | 'with-error'): void {
    if (this.isEnded) return;
    this.isEnded = true;
    if (how === 'cleanly') this.call.end();
    else this.call.emit('error', createFailure(status.UNAVAILABLE, 'Server Is Shutting Down'));
  }

  /** Catches up from an index and continues live. @returns the index to continue from if the consumer was too slow, otherwise -1 */
  async follow(from: number): Promise<number> {
    let scanned = 0;
    for (let index = from; ; index++) {
      const event = this.log.events[index];
      if (!event) return this.goLive(index, scanned);
      if (this.filter(event) && !(await this.send(eventMessage(event, this.structuredIds)))) return -1;
      scanned += 1;
      if (scanned >= this.checkpointInterval) {
        scanned = 0;
        if (!(await this.send(checkpointMessage(event.position)))) return -1;
      }
    }
  }

  private async goLive(from: number, alreadyScanned: number): Promise<number> {
    const buffer: Live[] = [];
    let next = from;
    let scanned = alreadyScanned;
    let isOverflowing = false;
    const push = (live: Live): void => {
      isOverflowing ||= buffer.length === MAX_BUFFERED;
      if (!isOverflowing) buffer.push(live);
    };
    const stop = this.log.onAppended((event) => {
      if (this.filter(event)) push({ event });
      scanned = (scanned + 1) % this.checkpointInterval;
      if (scanned === 0) push({ checkpoint: event.position });
      this.call.emit('appended');
    });
    try {
      let isOpen = await this.send(caughtUpMessage());
      while (isOpen && !isOverflowing) {
        const live = buffer.shift();
        if (live) {
          isOpen = await this.send(
            'event' in live ? eventMessage(live.event, this.structuredIds) : checkpointMessage(live.checkpoint),
          );
          if ('event' in live) next = this.log.indexAt(live.event.position) + 1;
        } else {
          await waitForCallEvent(this.call, 'appended');
          isOpen = !this.isEnded && !this.call.cancelled;
        }
      }
      return isOpen ? next : -1;
    } finally {
      stop();
    }
  }

  private async send(message: streams.ReadResp): Promise<boolean> {
    return !this.isEnded && (await writeMessage(this.call, message)) && !this.isEnded;
  }
}

const slowConsumerError = (): ServiceError =>
  createFailure(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );
