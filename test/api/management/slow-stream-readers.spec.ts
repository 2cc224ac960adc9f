import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { ChangeStreams, STREAM_OPTIONS } from '../../../src/api/management/stream/change-streams.js';
import type { Change } from '../../../src/changes/change.js';
import type { ChangeListener } from '../../../src/changes/change-feed.js';
import { silentLog } from '../../../src/kernel/log.js';
import { until } from '../../e2e/until.js';
import { EventStream } from '../../support/event-stream.js';

/** Streams behind a real HTTP server, whose changes come from the test: a gateway would need minutes to cause as many. */
class Streams {
  private readonly listeners = new Set<ChangeListener>();
  private position = 0n;
  readonly streams: ChangeStreams;
  private readonly server: Server;
  private readonly sockets: Socket[] = [];
  private readonly responses: ServerResponse[] = [];

  constructor(options: Partial<typeof STREAM_OPTIONS> = {}) {
    const listen = (listener: ChangeListener): Promise<() => void> => {
      listener.onCaughtUp(this.position);
      this.listeners.add(listener);
      return Promise.resolve(() => void this.listeners.delete(listener));
    };
    this.streams = new ChangeStreams({ listen }, silentLog, { ...STREAM_OPTIONS, ...options });
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Bytes that the operating system has not taken yet. */
  get unsentBytes(): number {
    return this.responses.reduce((sum, { writableLength }) => sum + writableLength, 0);
  }

  /** Sends `times` turns' worth of changes, each of 200 publications, 7 KB as text. Returns the position. */
  send(times: number): bigint {
    const changes = Array.from({ length: 200 * times }, (): Change => {
      this.position += 1n;
      const ids = [`pub_${String(this.position).padStart(32, '0')}`];
      return { position: this.position, kind: 'publication', ids, ownerId: 'own_1' };
    });
    for (const listener of this.listeners) listener.onChanges(changes, this.position);
    return this.position;
  }

  /** Opens a connection that asks for the stream and reads nothing of it. */
  async openUnread(url: string): Promise<Socket> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    this.sockets.push(socket);
    socket.on('error', () => undefined);
    socket.pause();
    const before = this.streams.size;
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await until('the unread stream is open', () => this.streams.size > before);
    return socket;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.streams.beforeApplicationShutdown();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(_request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.responses.push(response);
    const body = await this.streams.open(
      { ownerId: 'own_1', key: { id: 'key_1', ownerId: 'own_1', hash: 'key', until: null }, after: null },
      response,
    );
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    body.pipe(response);
    body.once('close', () => response.destroy());
  }
}

describe('a reader of the stream that does not read', () => {
  it('is closed when it is 256 KB behind, while another goes on', async () => {
    const streams = new Streams();
    const url = await streams.start();
    const reader = await EventStream.open(url, '');
    await streams.openUnread(url);
    expect(streams.streams.size).toBe(2);
    let sent = 0n;
    // The buffers of the operating system take some megabytes first.
    await until('the reader is closed', async () => {
      sent = streams.send(20);
      await until('the other one has everything', () => reader.lastId === String(sent));
      return streams.streams.size === 1;
    });
    const seen = reader.events.flatMap(({ data }) => data.ids!);
    expect(seen).toHaveLength(Number(sent));
    expect(new Set(seen).size).toBe(seen.length);
    const last = streams.send(1);
    await until('the other one goes on', () => reader.lastId === String(last));
    await streams.stop();
  });

  it('is closed when something has been unsent for too long', async () => {
    const streams = new Streams({ checkMs: 20, behind: { bytes: 100_000_000, ms: 1_000 } });
    const url = await streams.start();
    const reader = await EventStream.open(url, '');
    await streams.openUnread(url);
    // The clock stands still until the other reader has everything: on a busy machine that takes more than a second.
    const realNow = performance.now.bind(performance);
    let now = performance.now();
    performance.now = () => now;
    try {
      await until('something is unsent', async () => {
        const sent = streams.send(20);
        await until('the other one has everything', () => reader.lastId === String(sent));
        return streams.unsentBytes > 0;
      });
      await until('the reader is closed', () => {
        now += 500;
        return streams.streams.size === 1;
      });
    } finally {
      performance.now = realNow;
    }
    expect(reader.isEnded).toBe(false);
    await streams.stop();
  });
});
