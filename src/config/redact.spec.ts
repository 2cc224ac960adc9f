import { redact } from './redact.js';

describe('redact', () => {
  it('masks fields whose names suggest secrets, at any depth, in any naming style', () => {
    expect(
      redact({
        headers: { Authorization: 'Bearer x', 'x-service-client-signature': 'y', cookie: ['z'] },
        credentials: { bot_token: 'x', chat_id: '1' },
        accounts: [{ botToken: 'x', access_token: 'x', apiKey: 'x', api_key: 'x', signing_secret: 'x', password: 'x' }],
        keys: { OPERATOR_KEY: 'x', secretsKey: Buffer.alloc(3), application_key: 'x' },
        connectionString: 'postgres://u:p@h/db',
      }),
    ).toEqual({
      headers: { Authorization: '********', 'x-service-client-signature': '********', cookie: '********' },
      credentials: '********',
      accounts: [
        Object.fromEntries(
          ['botToken', 'access_token', 'apiKey', 'api_key', 'signing_secret', 'password'].map((n) => [n, '********']),
        ),
      ],
      keys: { OPERATOR_KEY: '********', secretsKey: '********', application_key: '********' },
      connectionString: '********',
    });
  });

  it('leaves other fields and the original unchanged', () => {
    const at = new Date(0);
    const fields = { tokens: 3, token: null, idempotency_key: 'k', at, position: 5n, nested: { secret: 'x' } };
    expect(redact(fields)).toEqual({ ...fields, nested: { secret: '********' } });
    expect(fields.nested.secret).toBe('x');
  });

  it('masks at the deepest level that is copied, and copies nothing below it', () => {
    const nest = (levels: number, inner: object): object =>
      levels === 0 ? inner : { inner: nest(levels - 1, inner), list: [nest(levels - 1, inner)] };
    for (let levels = 0; levels <= 12; levels++) {
      const copied = JSON.stringify(redact(nest(levels, { cookie: 'hunter2', plain: ['hunter2'] })));
      // Nothing below the limit is shown, whatever its name.
      if (levels > 6) expect(copied).not.toContain('hunter2');
      expect(copied).not.toContain('"cookie":"hunter2"');
    }
    expect(JSON.stringify(redact(nest(5, { cookie: 'hunter2' })))).toContain('"cookie":"********"');
  });

  it.each(['cookie', 'Cookie', 'set-cookie', 'cookies', 'authorization', 'Proxy-Authorization'])('masks %s', (name) => {
    expect(redact({ request: { headers: { [name]: 'sid=hunter2' } } })).toEqual({
      request: { headers: { [name]: '********' } },
    });
  });

  it('terminates on circular values', () => {
    const circle: Record<string, unknown> = { name: 'circle', bytes: Buffer.alloc(1000) };
    circle.self = circle;
    expect(JSON.stringify(redact(circle))).toContain('[…]');
    expect(JSON.stringify(redact(circle))).toContain('[1000 bytes]');
  });
});
