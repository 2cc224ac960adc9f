import { Inject, Injectable } from '@nestjs/common';
import { EventCodec, isDamaged } from '../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../event-store/port.js';
import type { RecordedEvent } from '../kernel/events.js';
import { BoundedCache } from '../runtime/bounded-cache.js';
import type { Naming } from './change.js';

/** Maximum number of resources whose owners are cached. */
const MAX_KNOWN = 50_000;

/** Stream categories of resources, by the event field that names the resource. */
const STREAMS: Readonly<Record<Exclude<keyof Naming, 'ownerId'>, string>> = {
  channelId: 'channel',
  projectId: 'project',
  endpointId: 'endpoint',
  outputId: 'webhookOutput',
  keyId: 'key',
};
const MEMBERS = Object.keys(STREAMS) as (keyof typeof STREAMS)[];

/**
 * Finds the owners of events. A resource never changes its owner, and its first event names the owner, so the owner can
 * be found even after the resource is deleted.
 */
@Injectable()
export class ResourceOwners {
  private readonly known = new BoundedCache<string>(MAX_KNOWN);

  constructor(
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>,
    private readonly codec: EventCodec,
  ) {}

  /** Returns the owner of each event; null if an event has none. @throws Unavailable */
  async findOwners(events: readonly RecordedEvent[]): Promise<(string | null)[]> {
    for (const { data } of events) this.learn(data as Naming);
    const unknown = new Map<string, string>();
    for (const { data } of events) {
      const naming = data as Naming;
      const member = naming.ownerId === undefined ? MEMBERS.find((name) => naming[name] !== undefined) : undefined;
      if (member === undefined || this.known.get(naming[member]!) !== undefined) continue;
      unknown.set(naming[member]!, `${STREAMS[member]}-${naming[member]}`);
    }
    // Keeps the owners in a separate map too, because the cache may be too small for one batch.
    const read = new Map(
      await Promise.all([...unknown].map(async ([id, stream]) => [id, await this.readOwner(stream)] as const)),
    );
    for (const [id, ownerId] of read) if (ownerId !== null) this.known.set(id, ownerId);
    return events.map(({ data }) => {
      const naming = data as Naming;
      if (naming.ownerId !== undefined) return naming.ownerId;
      const id = MEMBERS.map((name) => naming[name]).find((value) => value !== undefined);
      return id === undefined ? null : (read.get(id) ?? this.known.get(id) ?? null);
    });
  }

  private learn(naming: Naming): void {
    if (naming.ownerId === undefined) return;
    for (const member of MEMBERS) {
      const id = naming[member];
      if (id !== undefined) this.known.set(id, naming.ownerId);
    }
  }

  private async readOwner(stream: string): Promise<string | null> {
    const [first] = await this.store.readStream(stream, { limit: 1 });
    if (!first) return null;
    try {
      return (this.codec.decodeCached(first).data as Naming).ownerId ?? null;
    } catch (error) {
      if (isDamaged(error)) return null; // only the operator sees the change
      throw error;
    }
  }
}
