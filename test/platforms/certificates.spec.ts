import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readExtraCertificates } from '../../src/config/extra-certificates.js';
import { createMaxPublisher } from '../../src/platforms/max/descriptor.js';
import { selfSigned } from '../media/certificate.js';
import { postOf, publishPost } from './publish-post.js';

const { key, cert } = selfSigned(['127.0.0.1']);
let folder: string;
let server: Server;
let apiUrl: string;
let calls: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspost-certificates-'));
  calls = [];
  server = createServer({ key, cert }, (request, response) => {
    calls.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ message: { body: { mid: 'mid.1' } } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  apiUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

const channel = { id: 'tgt_1', address: { chat_id: '1' }, settings: {} };
const context = { credentials: { access_token: 'token' }, key: 'key', waits: {}, signal: new AbortController().signal };
const publishWith = async (extraCertificates: readonly string[]) => {
  const publisher = createMaxPublisher({ apiUrl, extraCertificates });
  try {
    const media = () => Promise.reject(new Error('the post has no media'));
    const { outcome } = await publishPost(publisher, postOf({ text: 'Look' }), channel, { ...context, media });
    const checks = [];
    const test = { ...context, channel, awaitTurn: () => Promise.resolve() };
    for await (const check of publisher.test(test)) checks.push(check);
    return { outcome, checks };
  } finally {
    await publisher.close();
  }
};

describe('a network whose certificate comes from an authority that Node does not know', () => {
  it('gets nothing, and the channel and its test name the host and the setting to use', async () => {
    const { outcome, checks } = await publishWith([]);
    const { host } = new URL(apiUrl);
    const message = expect.stringMatching(
      `^The certificate of ${host} is not trusted \\(.+\\), so MAX got nothing\\..+ EXTRA_CA_CERTS `,
    );
    expect(outcome).toMatchObject({
      kind: 'needs_attention',
      error: {
        code: 'certificate_not_trusted',
        category: 'network',
        message,
      },
    });
    expect(checks).toMatchObject([{ ok: false, message }]);
    expect(calls).toEqual([]);
  });

  it('is called once a file names the authority', async () => {
    const file = join(folder, 'authority.pem');
    await writeFile(file, `An authority\n${cert}`);
    const { outcome } = await publishWith(readExtraCertificates(file));
    expect(outcome).toMatchObject({ kind: 'done', messageIds: ['mid.1'] });
  });
});

describe('a file of certificates', () => {
  const reading = async (text: string) => {
    const file = join(folder, 'authority.pem');
    await writeFile(file, text);
    return () => readExtraCertificates(file);
  };

  it('is refused with the reason if it has none, or a damaged one, or does not exist', async () => {
    expect(await reading('nothing')).toThrow('authority.pem contains no certificate');
    expect(await reading(`${cert}\n${cert.replace(/[A-Za-z0-9+/]{40}/, '')}`)).toThrow(
      /^certificate 2 in .* cannot be read/,
    );
    expect(() => readExtraCertificates(join(folder, 'absent.pem'))).toThrow(/absent\.pem cannot be read: .*ENOENT/);
  });
});
