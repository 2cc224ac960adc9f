import { Inject, Injectable } from '@nestjs/common';
import { BoundedCache } from '../runtime/bounded-cache.js';
import { EVENT_STORE, type EventStore } from './port.js';

/** Maximum number of resources whose owners are cached. */
const MAX_KNOWN = 50_000;

/** Event fields that identify a resource or an owner. */
export interface Naming {
  readonly ownerId?: string | null;
  readonly channelId?: string;
  readonly projectId?: string;
  readonly endpointId?: string;
  readonly outputId?: string;
  readonly keyId?: string;
}

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

  constructor(@Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>) {}

  /** Returns the owner of each event; null if an event has none. @throws Unavailable */
  findOwners(events: readonly { readonly data: unknown }[]): Promise<(string | null)[]> {
    for (const { data } of events) this.learn(data as Naming);
    const reading = new Map<string, Promise<string | null>>();
    return Promise.all(
      events.map(async ({ data }) => {
        const naming = data as Naming;
        const member = memberOf(naming);
        if (naming.ownerId !== undefined || member === undefined) return naming.ownerId ?? null;
        const id = naming[member]!;
        const known = this.known.get(id) ?? reading.get(id);
        if (known !== undefined) return known;
        const read = this.readOwner(member, id);
        reading.set(id, read);
        return read;
      }),
    );
  }

  /** Returns the owner that data names, also by a resource; null if it names none. The promise may @throws Unavailable */
  findOwner(naming: Naming): string | Promise<string | null> | null {
    if (naming.ownerId !== undefined) return naming.ownerId;
    const member = memberOf(naming);
    return member === undefined ? null : (this.known.get(naming[member]!) ?? this.readOwner(member, naming[member]!));
  }

  private learn(naming: Naming): void {
    if (typeof naming.ownerId !== 'string') return;
    for (const member of MEMBERS) {
      const id = naming[member];
      if (id !== undefined) this.known.set(id, naming.ownerId);
    }
  }

  private async readOwner(member: keyof typeof STREAMS, id: string): Promise<string | null> {
    const [first] = await this.store.readStream(`${STREAMS[member]}-${id}`, { limit: 1 });
    const ownerId = first && ownerIn(first.data);
    if (ownerId === undefined || ownerId === null) return null;
    this.known.set(id, ownerId);
    return ownerId;
  }
}

/** Returns the id of the resource that data names; undefined if it names none. */
export const resourceIn = (naming: Naming): string | undefined => {
  const member = memberOf(naming);
  return member && naming[member];
};

const memberOf = (naming: Naming): keyof typeof STREAMS | undefined =>
  MEMBERS.find((name) => naming[name] !== undefined);

/** Reads the owner in an event's data; null if it is damaged. The owner is never part of the sealed content. */
const ownerIn = (data: string): string | null => {
  try {
    return (JSON.parse(data) as Naming).ownerId ?? null;
  } catch {
    return null;
  }
};
