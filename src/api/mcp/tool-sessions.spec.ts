import { SseTransport } from './tool-sessions.js';

const answer = (size: number) => ({ jsonrpc: '2.0' as const, id: 1, result: { text: 'x'.repeat(size) } });

describe('the connection of an assistant', () => {
  it('is closed when its client reads nothing', async () => {
    const transport = new SseTransport('/messages');
    let sent = 0;
    while (!transport.stream.destroyed && sent < 1_000) {
      await transport.send(answer(10_000));
      sent++;
    }
    expect(sent).toBeGreaterThan(20);
    expect(sent).toBeLessThan(30);
  });

  it('carries answers of any size to a client that reads', async () => {
    const transport = new SseTransport('/messages');
    let received = 0;
    transport.stream.on('data', (chunk: Buffer) => (received += chunk.length));
    for (let n = 0; n < 5; n++) {
      await transport.send(answer(2_000_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(transport.stream.destroyed).toBe(false);
    expect(received).toBeGreaterThan(10_000_000);
    await transport.close();
  });
});
