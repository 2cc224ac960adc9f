import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { GuardedClient } from '../../../src/outbound-http/guarded-client.js';
import type { TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { startWebhookGateway, WebhookSetup } from './webhook-harness.js';

/** Half of a host's 32 slots: what one owner takes while no other needs them. */
const SHARE_OF_HOST = 16;
const OUTPUTS = 40;

/** A customer's server that holds every request until the test lets it answer. */
class HoldingHost {
  private held: ServerResponse[] = [];
  private isHolding = true;
  answered = 0;
  /** Largest number of requests at a time. */
  peak = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('request', (request, response: ServerResponse) => {
      request.resume();
      if (!this.isHolding) return this.answer(response);
      this.held.push(response);
      this.peak = Math.max(this.peak, this.held.length);
    });
  }

  /** @param address of this machine; each is another host for the gateway */
  static async start(address: string): Promise<HoldingHost> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    return new HoldingHost(server, `http://${address}:${(server.address() as AddressInfo).port}/`);
  }

  get heldCount(): number {
    return this.held.length;
  }

  answerAll(): void {
    this.isHolding = false;
    for (const response of this.held.splice(0)) this.answer(response);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(response: ServerResponse): void {
    this.answered++;
    response.writeHead(204).end();
  }
}

/** The methods that this file replaces. */
/* eslint-disable @typescript-eslint/unbound-method */
const { request } = GuardedClient.prototype;
const { dispatch } = Agent.prototype;
/* eslint-enable @typescript-eslint/unbound-method */

/** Lifts the limits of 15 s: a busy machine may take longer, and a held request that is given up would come again. */
const liftTimeLimits = (): void => {
  GuardedClient.prototype.request = function (url, asked, overflow) {
    return request.call(this, url, { ...asked, timeoutMs: 600_000 }, overflow);
  };
  Agent.prototype.dispatch = function (options, handler) {
    return dispatch.call(this, { ...options, headersTimeout: 0 }, handler);
  };
};

let gateway: TestGateway;
let host: HoldingHost;
let neighbour: HoldingHost;
beforeAll(async () => {
  liftTimeLimits();
  gateway = await startWebhookGateway();
  host = await HoldingHost.start('127.0.0.1');
  neighbour = await HoldingHost.start('127.0.0.2');
  neighbour.answerAll();
});
afterAll(async () => {
  host.answerAll(); // a stopping gateway waits for its requests
  await gateway.stop();
  GuardedClient.prototype.request = request;
  Agent.prototype.dispatch = dispatch;
  await host.close();
  await neighbour.close();
});

it('delivers to at most half of the slots of a host for one owner, and meanwhile to other hosts and owners', async () => {
  const busy = await WebhookSetup.create(gateway);
  await Promise.all(Array.from({ length: OUTPUTS }, () => busy.createOutput(host)));
  const [other, third] = [await WebhookSetup.create(gateway), await WebhookSetup.create(gateway)];
  await other.createOutput(neighbour);
  await third.createOutput(host);
  await busy.sendPost('to all outputs of the host');
  await until('as many requests as one owner gets', () => host.heldCount >= SHARE_OF_HOST);

  await other.sendPost('to the neighbour');
  await until('the neighbour has its delivery', () => neighbour.answered === 1);
  expect(host.heldCount).toBe(SHARE_OF_HOST);
  await third.sendPost('to the same host');
  await until('the host has the delivery of another owner', () => host.heldCount === SHARE_OF_HOST + 1);

  host.answerAll();
  await until('all outputs of the host have theirs', () => host.answered === OUTPUTS + 1);
  expect(host.peak).toBe(SHARE_OF_HOST + 1);
});
