import { status, type ServiceError } from '@grpc/grpc-js';
import type streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { EventLog, LoggedEvent } from './event-log.js';
import type { Faults } from './faults.js';
import type { EventFilter } from './filter.js';
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  failure,
  fellBehindMessage,
} from './messages.js';
import { anyOf, written, type ReadCall } from './read-call.js';

/** Live events that the server keeps for a consumer, and events it scans between two looks at the end. */
const BUFFERED = 32;

/** `drop`: as servers up to 24.2 do; `catch-up`: as later ones do. */
export type WhenTooSlow = 'drop' | 'catch-up';

type Live = { readonly event: LoggedEvent } | { readonly checkpoint: bigint };

/** Subscriptions to $all: catch up in pages, then live from a buffer that a slow consumer overruns. */
export class Subscriptions {
  private readonly open = new Map<ReadCall, (how: 'cleanly' | 'with-error') => void>();

  constructor(
    private readonly log: EventLog,
    private readonly faults: Faults,
    private readonly whenTooSlow: WhenTooSlow,
  ) {}

  get count(): number {
    return this.open.size;
  }

  endAll(how: 'cleanly' | 'with-error'): void {
    for (const end of this.open.values()) end(how);
  }

  async run(call: ReadCall, options: streams.ReadReq.Options, filter: EventFilter, structuredIds: boolean) {
    const interval = (options.getFilter()?.getCheckpointintervalmultiplier() ?? Infinity) * BUFFERED;
    const subscription = new Subscription(this.log, call, filter, structuredIds, interval);
    this.open.set(call, (how) => subscription.end(how));
    call.once('cancelled', () => subscription.end('cleanly'));
    let next = this.firstIndex(options);
    if (await written(call, confirmationMessage())) {
      while ((next = await subscription.follow(next)) >= 0 && this.whenTooSlow === 'catch-up') {
        await written(call, fellBehindMessage());
      }
    }
    this.open.delete(call);
    if (next >= 0) {
      this.faults.slowDrops += 1;
      call.emit('error', tooSlow());
    }
  }

  /**
   * Exclusive of the start position, in the way of 23.10: it reads one event at or after it and starts behind that.
   * Where the event itself was scavenged, the next one is thereby skipped.
   */
  private firstIndex(options: streams.ReadReq.Options): number {
    const all = options.getAll();
    if (all?.hasStart()) return 0;
    if (!all?.hasPosition()) return this.log.events.length;
    return this.log.indexAt(BigInt(all.getPosition()?.getCommitPosition() ?? 0)) + 1;
  }
}

class Subscription {
  private over = false;

  constructor(
    private readonly log: EventLog,
    private readonly call: ReadCall,
    private readonly filter: EventFilter,
    private readonly structuredIds: boolean,
    private readonly checkpointInterval: number,
  ) {}

  end(how: 'cleanly' | 'with-error'): void {
    if (this.over) return;
    this.over = true;
    if (how === 'cleanly') this.call.end();
    else this.call.emit('error', failure(status.UNAVAILABLE, 'Server Is Shutting Down'));
  }

  /** Catches up from an index and goes live. The index to go on from when the consumer was too slow; else -1. */
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
    let overrun = false;
    const push = (live: Live): void => {
      overrun ||= buffer.length === BUFFERED;
      if (!overrun) buffer.push(live);
    };
    const stop = this.log.onAppended((event) => {
      if (this.filter(event)) push({ event });
      scanned = (scanned + 1) % this.checkpointInterval;
      if (scanned === 0) push({ checkpoint: event.position });
      this.call.emit('appended');
    });
    try {
      let alive = await this.send(caughtUpMessage());
      while (alive && !overrun) {
        const live = buffer.shift();
        if (live) {
          alive = await this.send(
            'event' in live ? eventMessage(live.event, this.structuredIds) : checkpointMessage(live.checkpoint),
          );
          if ('event' in live) next = this.log.indexAt(live.event.position) + 1;
        } else {
          await anyOf(this.call, 'appended');
          alive = !this.over && !this.call.cancelled;
        }
      }
      return alive ? next : -1;
    } finally {
      stop();
    }
  }

  private async send(message: streams.ReadResp): Promise<boolean> {
    return !this.over && (await written(this.call, message)) && !this.over;
  }
}

const tooSlow = (): ServiceError =>
  failure(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );
