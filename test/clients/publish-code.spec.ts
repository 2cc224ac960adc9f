import { execFile, execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { publishCode } from '../../console/src/publish-code/publish-code.js';

const run = promisify(execFile);

/** A request as it arrived. */
interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const received: Received[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    received.push({ headers: request.headers, body });
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  });
});
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => (received.length = 0));

const PAYLOAD = {
  text: `It's “here”: $HOME \\ \`x\` 🌅\n%s "quoted"`,
  entities: [{ type: 'bold', offset: 0, length: 4 }],
  is_advertisement: true,
};
const env = { ...process.env, TOKEN: 'service_live_x', SIGNING_SECRET: 'a secret' };

const RUNNERS = {
  curl: (code: string) => run('sh', ['-c', code], { env }),
  TypeScript: (code: string) => run(process.execPath, ['--input-type=module', '-e', code], { env }),
  Python: (code: string) => run('python3', ['-c', code], { env }),
} as const;
const hasPython = ((): boolean => {
  try {
    return execFileSync('python3', ['--version']).length > 0;
  } catch {
    return false;
  }
})();

interface Requirements {
  readonly require_signature: boolean;
  readonly require_timestamp: boolean;
}

describe.each(['curl', 'TypeScript', 'Python'] as const)('the code in %s', (language) => {
  const runs = language === 'Python' && !hasPython ? it.skip : it;
  const send = async (requirements: Requirements, key: Parameters<typeof publishCode>[2]) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/webhooks/x`;
    const code = publishCode({ url, ...requirements }, PAYLOAD, key, 'service');
    await RUNNERS[language](code[language]);
    expect(received).toHaveLength(1);
    return received[0]!;
  };

  runs('sends the post as it is, with its idempotency key', async () => {
    const { headers, body } = await send({ require_signature: false, require_timestamp: false }, { key: 'console-1' });
    expect(JSON.parse(body)).toEqual(PAYLOAD);
    expect([headers['authorization'], headers['content-type'], headers['idempotency-key']]).toEqual([
      'Bearer service_live_x',
      'application/json',
      'console-1',
    ]);
    expect(headers['x-service-client-signature']).toBeUndefined();
  });

  runs('signs the bytes that it sends, where the endpoint requires it', async () => {
    const { headers, body } = await send({ require_signature: true, require_timestamp: true }, 'random');
    expect(JSON.parse(body)).toEqual(PAYLOAD);
    expect(headers['idempotency-key']).toMatch(/^[0-9a-f-]{32,36}$/);
    const signature = createHmac('sha256', 'a secret').update(body).digest('hex');
    expect(headers['x-service-client-signature']).toBe(`sha256=${signature}`);
    expect(Math.abs(Number(headers['x-service-timestamp']) - Date.now() / 1_000)).toBeLessThan(300);
  });
});
