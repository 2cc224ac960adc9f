import { connect } from 'node:net';
import { startStandIn } from '../telegram/stand-in.js';

/** Sends a request line unchanged; returns the status. */
const send = (url: string, target: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${target} HTTP/1.1\r\nhost: stand-in\r\nconnection: close\r\n\r\n`),
    );
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString('latin1')));
    socket.on('end', () => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1])));
    socket.on('error', reject);
  });

describe('a stand-in', () => {
  it('answers addresses that are no addresses, and names of built-in members, without failing', async () => {
    const standIn = await startStandIn();
    const targets = [
      '//',
      'http://[',
      '/wall/media/__proto__',
      '/wall/__proto__',
      '/_control/__proto__',
      '/botx/__proto__',
    ];
    const statuses = await Promise.all(targets.map((target) => send(standIn.url, target)));
    expect(statuses.filter((status) => !(status >= 400 && status < 500))).toEqual([]);
    expect(await send(standIn.url, '/wall')).toBe(200);
    await standIn.stop();
  });
});
