import { MemoryEventStore, MemoryLog } from '../../test/support/memory-event-store.js';
import { catalogue } from '../domain/catalogue.js';
import { EventCodec } from '../event-store/codec.js';
import type { SubscribeOptions } from '../event-store/port.js';
import { ResourceOwners } from '../event-store/resource-owners.js';
import type { DomainEvent } from '../kernel/events.js';
import { silentLog } from '../kernel/log.js';
import type { Change } from './change.js';
import { ChangeFeed } from './change-feed.js';

const codec = new EventCodec(catalogue);

/** Lets pending work run until a condition holds. */
const settle = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
};

class Listener {
  readonly changes: Change[] = [];
  readonly positions: bigint[] = [];
  resets = 0;
  isGone = false;

  onChanges = (changes: readonly Change[], position: bigint): void => {
    this.changes.push(...changes);
    this.positions.push(position);
  };

  onReset = (position: bigint): void => {
    this.resets += 1;
    this.positions.push(position);
  };

  onCaughtUp = (position: bigint): void => void this.positions.push(position);

  get ids(): readonly string[] {
    return this.changes.flatMap(({ ids }) => ids);
  }
}

class Feed {
  readonly log = new MemoryLog();
  readonly store = new MemoryEventStore({ log: this.log });
  /** Number of open subscriptions. */
  following = 0;
  /** Decides whether a read model reaches a position in time. */
  reaches: (name: string, position: bigint) => boolean | Promise<boolean> = () => true;
  readonly feed: ChangeFeed;

  constructor() {
    const { store } = this;
    const subscribe = store.subscribe.bind(store);
    const count = (change: 1 | -1) => (this.following += change);
    store.subscribe = async function* (options: SubscribeOptions) {
      count(1);
      try {
        yield* subscribe(options);
      } finally {
        count(-1);
      }
    };
    const progress = { waitFor: async (names: readonly string[], at: bigint) => this.reaches(names[0]!, at) };
    const models = [{ name: 'all' }, { name: 'channels', handles: (type: string) => type.startsWith('Channel') }];
    this.feed = new ChangeFeed(store, codec, new ResourceOwners(store), progress, models, silentLog);
  }

  async append(stream: string, ...events: readonly DomainEvent[]): Promise<void> {
    const before = this.log.streams.get(stream)?.length ?? 0;
    const context = {
      actor: 'operator',
      requestId: '',
      causationId: 'c',
      correlationId: 'c',
      clientAddress: null,
      commandId: `${stream}/${before}`,
      at: 0,
    };
    const encoded = events.map((event, index) => {
      const location = { stream, revision: BigInt(before + index), previousHash: '' };
      return codec.encode(event, index, location, context).event;
    });
    await this.store.append(stream, before === 0 ? 'noStream' : BigInt(before - 1), encoded);
  }

  /** Appends a project's events, each of which is a change. */
  rename(id: string, count = 1): Promise<void> {
    const renamed = { type: 'ProjectRenamed', data: { projectId: id, name: 'News' } };
    return this.append(`project-${id}`, ...Array.from({ length: count }, () => renamed));
  }

  connectChannel(channelId: string, ownerId: string): Promise<void> {
    return this.append(`channel-${channelId}`, { type: 'ChannelConnected', data: { channelId, ownerId } });
  }
}

describe('ChangeFeed', () => {
  it('follows the log only while it has listeners', async () => {
    const feed = new Feed();
    await feed.rename('prj_1');
    expect(feed.following).toBe(0);
    const [one, other] = [new Listener(), new Listener()];
    const [leave, leaveToo] = await Promise.all([feed.feed.listen(one, null), feed.feed.listen(other, null)]);
    await settle(() => feed.following === 1);
    await feed.rename('prj_2');
    await settle(() => one.ids.length > 0 && other.ids.length > 0);
    leave();
    await feed.rename('prj_3');
    await settle(() => other.ids.length === 2);
    leaveToo();
    await settle(() => feed.following === 0);
    expect([one.ids, other.ids]).toEqual([['prj_2'], ['prj_2', 'prj_3']]);
    const later = new Listener();
    const leaveLast = await feed.feed.listen(later, other.positions.at(-1)!);
    await feed.rename('prj_4');
    await settle(() => later.ids.includes('prj_4'));
    leaveLast();
  });

  it('sends a change once the read models that handle it show it', async () => {
    const feed = new Feed();
    let show!: () => void;
    const shown = new Promise<void>((resolve) => (show = resolve));
    const asked: string[] = [];
    feed.reaches = async (name, position) => {
      asked.push(`${name} ${position}`);
      await shown;
      return true;
    };
    const listener = new Listener();
    const leave = await feed.feed.listen(listener, null);
    await feed.rename('prj_1');
    await settle(() => asked.length === 1);
    expect(listener.ids).toEqual([]);
    show();
    await settle(() => listener.ids.length === 1);
    await feed.connectChannel('tgt_1', 'own_1');
    await settle(() => listener.ids.length === 2);
    leave();
    expect(asked).toEqual(['all 1', 'all 2', 'channels 2']);
  });

  it('waits once for a read model that is behind, and resets listeners when it has caught up', async () => {
    const feed = new Feed();
    let isBehind = true;
    const asked: bigint[] = [];
    feed.reaches = async (name, position) => {
      if (name !== 'channels') return true;
      asked.push(position);
      await new Promise((resolve) => setTimeout(resolve, 2));
      return !isBehind;
    };
    const listener = new Listener();
    const leave = await feed.feed.listen(listener, null);
    await feed.connectChannel('tgt_1', 'own_1');
    await settle(() => listener.ids.includes('tgt_1'));
    await feed.connectChannel('tgt_2', 'own_1');
    await settle(() => listener.ids.includes('tgt_2'));
    expect(new Set(asked)).toEqual(new Set([1n]));
    expect(listener.resets).toBe(0);
    isBehind = false;
    await settle(() => listener.resets === 1);
    leave();
  });

  it('replays each missed change once, while others happen', async () => {
    const feed = new Feed();
    await feed.rename('prj_0');
    for (let n = 1; n <= 900; n++) await feed.rename(`prj_${n}`);
    const keeping = await feed.feed.listen(new Listener(), null);
    const listener = new Listener();
    const appending = (async () => {
      for (let n = 901; n <= 1_200; n++) await feed.rename(`prj_${n}`);
    })();
    const leave = await feed.feed.listen(listener, 1n);
    await appending;
    await settle(() => listener.ids.includes('prj_1200'));
    leave();
    keeping();
    expect(listener.ids).toEqual(Array.from({ length: 1_200 }, (_, n) => `prj_${n + 1}`));
    expect(listener.positions).toEqual([...listener.positions].sort((a, b) => Number(a - b)));
  });

  it('replays nothing to listeners that are gone, so that others need not wait for them', async () => {
    const feed = new Feed();
    await feed.rename('prj_1', 3);
    const [gone, leaving, listener] = [new Listener(), new Listener(), new Listener()];
    gone.isGone = true;
    feed.reaches = () => (leaving.isGone = true);
    for (const each of [gone, leaving]) (await feed.feed.listen(each, 1n))();
    expect([gone, leaving].map(({ ids, positions }) => [ids, positions])).toEqual(Array(2).fill([[], []]));
    (await feed.feed.listen(listener, 1n))();
    expect(listener.ids).toEqual(['prj_1', 'prj_1']);
  });

  it('resets a listener that missed too much or comes from another log', async () => {
    const feed = new Feed();
    await feed.rename('prj_1', 2_001);
    const [late, strange, slightlyLate] = [new Listener(), new Listener(), new Listener()];
    const leaving = [
      await feed.feed.listen(late, 0n),
      await feed.feed.listen(strange, 5_000n),
      await feed.feed.listen(slightlyLate, 1n),
    ];
    await feed.rename('prj_2');
    for (const listener of [late, strange, slightlyLate]) await settle(() => listener.ids.includes('prj_2'));
    expect([late.resets, strange.resets, slightlyLate.resets]).toEqual([1, 1, 0]);
    expect(slightlyLate.ids).toHaveLength(2_001);
    for (const leave of leaving) leave();
  });

  it('knows the owners of events that do not name one, in any process', async () => {
    const feed = new Feed();
    await feed.connectChannel('tgt_1', 'own_1');
    await feed.append('channel-tgt_1', { type: 'ChannelDeleted', data: { channelId: 'tgt_1' } });
    const listener = new Listener();
    const leave = await feed.feed.listen(listener, 1n);
    await feed.append('publication-pub_1', {
      type: 'PublicationDismissed',
      data: { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1', at: 0 },
    });
    await feed.append('projection-posts', { type: 'ProjectionPromoted', data: { projection: 'posts' } });
    await settle(() => listener.changes.length === 3);
    leave();
    expect(listener.changes.map(({ kind, ids, ownerId }) => [kind, ids, ownerId])).toEqual([
      ['channel', ['tgt_1'], 'own_1'],
      ['publication', ['pub_1', 'post_1'], 'own_1'],
      ['projection', ['posts'], null],
    ]);
  });

  it('goes on after an outage of the store', async () => {
    const feed = new Feed();
    await feed.connectChannel('tgt_1', 'own_1');
    const listener = new Listener();
    const leave = await feed.feed.listen(listener, null);
    await feed.append('channel-tgt_1', { type: 'ChannelDisabled', data: { channelId: 'tgt_1' } });
    feed.log.faults.isUnavailable = true; // while the owner is being read
    await new Promise((resolve) => setTimeout(resolve, 50));
    feed.log.faults.isUnavailable = false;
    await settle(() => listener.ids.includes('tgt_1'));
    leave();
    expect(listener.changes).toHaveLength(1);
    feed.log.faults.isUnavailable = true;
    await expect(feed.feed.listen(new Listener(), null)).rejects.toThrow('unavailable');
    feed.log.faults.isUnavailable = false;
    (await feed.feed.listen(new Listener(), null))();
  });
});
