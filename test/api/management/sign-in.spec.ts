import type { Running } from '../../../src/app/start.js';
import { TestEnvironment } from '../../support/test-environment.js';
import { TestGateway } from '../public/gateway.js';

const OPERATOR_KEY = 'operator-key-of-the-tests';
const session = { key: 'service_owner_key', owner: { id: 'own_1', name: 'Demo' } };

let environment: TestEnvironment<Record<string, never>>;
let running: Running;
beforeAll(async () => {
  environment = await TestEnvironment.start({
    startNetworks: async () => ({}),
    operatorKey: OPERATOR_KEY,
    env: { DEMO: 'on', TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  running = await environment.startProcess();
});
afterAll(() => environment?.stop());

const signIn = async (body: unknown, ip = '192.0.2.1', headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(`${running.address}/manage/v1/sign-in`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, ...headers },
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as { code: string } };
};

describe('the sign-in of demo mode (ADR-207)', () => {
  it('answers the key of the owner, once', async () => {
    const code = running.oneTimeCode!.issue(session);
    const answers = await Promise.all([signIn({ code }), signIn({ code }), signIn({ code })]);
    const [first, ...others] = answers.sort((a, b) => a.status - b.status);
    expect([first.status, first.body]).toEqual([200, session]);
    expect(first.headers.get('cache-control')).toBe('no-store');
    for (const { status, body } of others)
      expect([status, body]).toEqual([
        401,
        expect.objectContaining({
          ok: false,
          code: 'unauthorized',
          errors: [expect.stringMatching(/Restart the gateway for a new link, or sign in with a key\.$/)],
        }),
      ]);
  });

  it('needs no key, and ignores one', async () => {
    const code = running.oneTimeCode!.issue(session);
    expect((await signIn({ code }, '192.0.2.2', { authorization: 'Bearer wrong' })).status).toBe(200);
  });

  it('names what is wrong with a body', async () => {
    for (const [body, status, field] of [
      [{}, 422, 'code'],
      [{ code: 5 }, 422, 'code'],
      [{ code: 'x'.repeat(201) }, 422, 'code'],
      [{ code: 'x', more: 1 }, 422, 'more'],
      ['[]', 422, ''],
      ['{', 400, ''],
    ] as const) {
      const answer = await signIn(body);
      expect([body, answer.status]).toEqual([body, status]);
      if (field) expect(JSON.stringify(answer.body)).toContain(`"${field}`);
    }
    expect((await signIn('code=x', '192.0.2.1', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('counts wrong codes like wrong keys, and lets the right one in (D-55, D-86)', async () => {
    const guesser = '192.0.2.3';
    // All at once, because one after the other they might take more than the minute on a busy machine.
    const guesses = await Promise.all(Array.from({ length: 100 }, (_, n) => signIn({ code: `wrong-${n}` }, guesser)));
    for (const { status } of guesses) expect(status).toBe(401);
    const refused = await signIn({ code: 'wrong' }, guesser);
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_wrong_keys']);
    const code = running.oneTimeCode!.issue(session);
    const callWith = (key: string) =>
      fetch(`${running.address}/manage/v1/owners`, {
        headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': guesser },
      });
    expect((await callWith('wrong')).status).toBe(429);
    // The right key and the right code still work (D-86).
    expect((await callWith(OPERATOR_KEY)).status).toBe(200);
    expect((await signIn({ code }, guesser)).status).toBe(200);
  });
});

it('there is no sign-in without demo mode', async () => {
  const gateway = await TestGateway.start();
  try {
    const headers = { 'content-type': 'application/json' };
    const answer = await gateway.call('POST', '/manage/v1/sign-in', { body: '{"code":"x"}', headers });
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  } finally {
    await gateway.stop();
  }
});
