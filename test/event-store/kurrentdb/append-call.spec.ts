import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { AppendCall } from '../../../src/event-store/kurrentdb/append-call.js';
import { encodeAppend } from '../../../src/event-store/kurrentdb/append-message.js';
import { createClient, disposeClient, openGrpcClient } from '../../../src/event-store/kurrentdb/clients.js';
import { readConnectionOptions } from '../../../src/event-store/kurrentdb/own-connection.js';
import { toWireEvent } from '../../../src/event-store/kurrentdb/read-call.js';
import type { KurrentServer } from '../../support/kurrent-server/kurrent-server.js';
import { newEvent, newStream } from '../contract/events.js';
import { kurrentServers } from './servers.js';

/** Much longer than a busy machine ever pauses. */
const TIMEOUT_MS = 60_000;
/** Limit of an append whose answer is lost, where the test waits for it. */
const SHORT_MS = 500;

describe('a call for many appends whose server leaves an append without an answer', () => {
  const { startServer } = kurrentServers();
  let server: KurrentServer;
  let client: KurrentDBClient;
  let call: AppendCall;

  /** How far the call's clock is ahead, in ms. Tests advance it instead of waiting for the time limit. */
  let aheadMs = 0;
  const realNow = performance.now.bind(performance);
  beforeEach(() => {
    aheadMs = 0;
    performance.now = () => realNow() + aheadMs;
  });
  afterEach(() => {
    performance.now = realNow;
  });

  beforeEach(async () => {
    server = await startServer();
    client = createClient(server.connectionString);
    const options = readConnectionOptions(server.connectionString);
    call = await AppendCall.open(client, options, TIMEOUT_MS, () => undefined);
    await append();
  });
  afterEach(async () => {
    call.cancel();
    await disposeClient(client);
  });

  const append = (limitMs = TIMEOUT_MS) => {
    const correlation = crypto.randomUUID();
    const message = encodeAppend(correlation, newStream(), 'noStream', [toWireEvent(newEvent())]);
    return call.send(correlation, message, performance.now() + limitMs);
  };
  /** Loses the answer to an append. Returns true if the client learnt that the connection is lost. */
  const isReportedAfterLoss = async (limitMs: number, meanwhile: () => unknown): Promise<boolean> => {
    const before = (await openGrpcClient(client)).getChannel();
    await server.sendCommand({ command: 'lose-responses', appends: 1 });
    const lost = append(limitMs);
    await meanwhile();
    await expect(lost).rejects.toMatchObject({ name: 'TimedOut' });
    return (await openGrpcClient(client)).getChannel() !== before;
  };

  it('makes the client look for a server again, if nothing else was answered either', async () => {
    expect(await isReportedAfterLoss(SHORT_MS, () => (aheadMs += TIMEOUT_MS / 2))).toBe(true);
    expect(call.isUsable).toBe(false);
  });

  it('goes on, if another append was answered meanwhile', async () => {
    const answerAnother = async () => {
      await append();
      aheadMs += TIMEOUT_MS;
      // The timer of the time limit would come a minute later.
      const timed = call as unknown as { readonly expiry: NodeJS.Timeout; forgetExpired(): void };
      clearTimeout(timed.expiry);
      timed.forgetExpired();
    };
    expect(await isReportedAfterLoss(TIMEOUT_MS, answerAnother)).toBe(false);
    expect(call.isUsable).toBe(true);
  });

  it('gives way to another call at the same server, if the append had little time left', async () => {
    expect(await isReportedAfterLoss(SHORT_MS, () => undefined)).toBe(false);
    expect(call.isUsable).toBe(false);
  });
});
