import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SendContext } from '../../../src/platforms/publisher.js';
import type { NetworkName } from '../wire/networks.js';
import { type RecordedCall, Recorder } from '../wire/recorder.js';
import { startRelay } from '../wire/relay.js';
import { ORIGIN } from './masking.js';
import { type Fixture, run, withoutKeys } from './recording.js';

/** Gives the recorded answers, in order, to whatever is asked. */
const startReplayer = async ({ calls }: Fixture) => {
  let at = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const answer = calls[at++]?.answer ?? { status: 599, body: 'the recording has no further call' };
      const isText = typeof answer.body === 'string';
      const text = isText ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.status, { 'content-type': isText ? 'text/plain' : 'application/json' });
      response.end(text.replaceAll(ORIGIN, `http://${request.headers.host}`));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Credentials of the right form, for publishers that check it. */
const CREDENTIALS: Readonly<Record<NetworkName, Readonly<Record<string, string>>>> = {
  telegram: { bot_token: '1234567:replayed-token' },
  vk: { access_token: 'replayed-access-token', upload_token: 'replayed-upload-token' },
  max: { access_token: 'replayed-access-token' },
  ok: {
    application_key: 'REPLAYEDKEY',
    application_secret: 'REPLAYEDSECRET',
    access_token: 'replayed-access-token',
  },
};

/** Runs the publisher against a fixture's answers. Returns what it asked, and how it ended. */
export const replay = async (
  fixture: Fixture,
  media: SendContext['media'],
): Promise<{ readonly calls: readonly RecordedCall[]; readonly ends: string }> => {
  const { network, name, address } = fixture;
  const credentials = CREDENTIALS[network];
  const replayer = await startReplayer(fixture);
  const recorder = new Recorder(Object.values(credentials));
  const relay = await startRelay(replayer.url, {
    answered: (call, answer) => recorder.record(call, answer).then(() => true),
  });
  try {
    const ends = await run(network, name, relay.url, { address, credentials }, media, () => Promise.resolve());
    return { calls: recorder.calls.map(withoutKeys), ends };
  } finally {
    await relay.stop();
    await replayer.stop();
  }
};
