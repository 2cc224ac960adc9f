import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ChangeListener } from '../../../changes/change-feed.js';
import { silentLog } from '../../../kernel/log.js';
import type { HttpProblem } from '../../transport/problem.view.js';
import { ChangeStream, ChangeStreams, STREAM_OPTIONS } from './change-streams.js';

/** Streams whose readers read everything at once, and whose changes come from the test. */
class Streams {
  readonly listeners = new Set<ChangeListener>();
  private readonly streams: ChangeStreams;

  constructor(options: Partial<typeof STREAM_OPTIONS> = {}) {
    const listen = (listener: ChangeListener): Promise<() => void> => {
      this.listeners.add(listener);
      listener.onCaughtUp(0n);
      return Promise.resolve(() => void this.listeners.delete(listener));
    };
    this.streams = new ChangeStreams({ listen }, silentLog, { ...STREAM_OPTIONS, ...options });
  }

  /** Opens a stream. @param ownerId null for the operator */
  async open(ownerId: string | null): Promise<{ body: Readable; text: () => string }> {
    const response = Object.assign(new EventEmitter(), { writableLength: 0 }) as unknown as ServerResponse;
    const key = ownerId === null ? null : { id: `key_${ownerId}`, ownerId, hash: `key of ${ownerId}`, until: null };
    const reader = { ownerId, key, after: null };
    const body = await this.streams.open(reader, response);
    let text = '';
    body.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return { body, text: () => text };
  }

  openMany(count: number, ownerOf: (i: number) => string | null) {
    return Promise.all(Array.from({ length: count }, (_, i) => this.open(ownerOf(i))));
  }

  get size(): number {
    return this.streams.size;
  }

  /** Waits until the ended streams are closed. */
  async waitForSize(size: number): Promise<void> {
    while (this.size > size) await new Promise(setImmediate);
    expect(this.size).toBe(size);
  }
}

const REFUSED = { status: 429, code: 'too_many_streams' };
const refusal = (opening: Promise<unknown>): Promise<HttpProblem> =>
  opening.then(
    () => {
      throw new Error('the stream was opened');
    },
    (error: unknown) => error as HttpProblem,
  );

describe('the streams of a process (D-89)', () => {
  it('are a thousand, of which ten are the operator’s', async () => {
    const streams = new Streams();
    await streams.openMany(990, (i) => `own_${i}`);
    expect(await refusal(streams.open('own_new'))).toMatchObject(REFUSED);
    await streams.openMany(10, () => null);
    expect(streams.size).toBe(1_000);
    expect(await refusal(streams.open(null))).toMatchObject(REFUSED);
    expect(await refusal(streams.open('own_new'))).toMatchObject(REFUSED);
  });

  it('let a new owner in: the owner with the most streams loses its oldest', async () => {
    const streams = new Streams({ perProcess: 20, forOperator: 0 });
    const [first, ...rest] = await streams.openMany(20, (i) => `own_${i % 4}`);
    await streams.open('own_new');
    await once(first!.body, 'close');
    expect(first!.text()).toMatch(/event: bye\ndata: \{"reason":"too_many_streams"\}\n\n$/);
    expect(rest.filter(({ body }) => body.destroyed)).toEqual([]);
    expect(streams.size).toBe(20);
  });

  it('are divided evenly, and owners that reconnect do not displace each other', async () => {
    const streams = new Streams({ perProcess: 20, forOperator: 0 });
    await streams.openMany(20, (i) => `own_${i % 4}`);
    for (let i = 0; i < 3; i++) for (const owner of ['own_a', 'own_b']) await streams.open(owner);
    for (const owner of ['own_0', 'own_1', 'own_2', 'own_3', 'own_a', 'own_b'])
      expect(await refusal(streams.open(owner))).toMatchObject(REFUSED);
    await streams.waitForSize(20);
  });

  it('are at most five for one owner', async () => {
    const streams = new Streams();
    const [first] = await streams.openMany(5, () => 'own_1');
    expect(await refusal(streams.open('own_1'))).toMatchObject(REFUSED);
    first!.body.destroy();
    await once(first!.body, 'close');
    await streams.open('own_1');
  });

  it('are lent to the operator beyond its part, until owners need them', async () => {
    const streams = new Streams({ perProcess: 20, forOperator: 5 });
    const [oldest] = await streams.openMany(20, () => null);
    await streams.openMany(15, (i) => `own_${i}`);
    await streams.waitForSize(20);
    expect(oldest!.text()).toContain('{"reason":"too_many_streams"}');
    expect(await refusal(streams.open('own_new'))).toMatchObject(REFUSED);
    expect(await refusal(streams.open(null))).toMatchObject(REFUSED);
  });

  it('take no reader back that has read more in another process', () => {
    const reader = { ownerId: null, key: null, after: 100n };
    const stream = new ChangeStream(reader, { writableLength: 0 }, STREAM_OPTIONS.behind, () => undefined);
    const change = (position: bigint) => ({
      position,
      kind: 'project' as const,
      ids: [`prj_${position}`],
      ownerId: null,
    });
    stream.onCaughtUp(95n);
    stream.onReset(96n); // a view that was behind has caught up
    stream.onChanges([change(97n), change(101n)], 101n);
    const ids = [...String(stream.body.read()).matchAll(/^(?:id: (\d+)|data: (.*))$/gm)].map(
      ([, id, data]) => id ?? data,
    );
    expect(ids).toEqual(['100', '100', '{"kind":"reset","ids":[]}', '101', '{"kind":"project","ids":["prj_101"]}']);
  });

  it('leave the feed once, even if a reader is closed while it is being added', async () => {
    let left = 0;
    const listen = (listener: ChangeListener): Promise<() => void> => {
      listener.onCaughtUp(0n);
      return Promise.resolve().then(() => {
        response.emit('close');
        return () => void (left += 1);
      });
    };
    const response = Object.assign(new EventEmitter(), { writableLength: 0 });
    const streams = new ChangeStreams({ listen }, silentLog);
    const body = await streams.open({ ownerId: null, key: null, after: null }, response as unknown as ServerResponse);
    if (!body.closed) await once(body, 'close');
    await new Promise(setImmediate);
    expect([left, streams.size]).toEqual([1, 0]);
  });
});
