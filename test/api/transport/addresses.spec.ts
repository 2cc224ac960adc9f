import { publish } from '../../e2e/client.js';
import { createManagementClient, type E2eHarness, shareHarness } from '../../e2e/e2e-harness.js';
import { type Endpoint, OPERATOR_KEY } from '../../e2e/management-client.js';
import { until } from '../../e2e/until.js';

/** Starts a gateway that the tests call from 127.0.0.1. */
const setUp = async (stage: E2eHarness, more: Readonly<Record<string, string>> = {}) => {
  const telegram = await stage.startTelegram();
  const settings = { DATA_DIR: await stage.createFolder(), TELEGRAM_API_URL: telegram.url };
  const gateway = await stage.startGateway({ ...(await stage.createDatabase()), ...settings, ...more });
  const manage = createManagementClient(gateway);
  const endpoint = async (ip_allowlist: readonly string[]): Promise<Endpoint> =>
    (await manage.seed(1, [[0]], { ip_allowlist })).endpoints[0]!;
  const post = async (to: Endpoint, forwardedFor?: string): Promise<number> =>
    (
      await publish(
        gateway.url,
        to,
        { text: 'a' },
        forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
      )
    ).status;
  /** Reads the client's address from the endpoint's request log. */
  const readLoggedIp = async (endpoint: Endpoint, traceId: string): Promise<string> =>
    until('the request is in the log', async () => {
      const log = await manage.get<{ items: { trace_id: string; ip: string }[] }>(`/endpoints/${endpoint.id}/requests`);
      return log.items.find(({ trace_id }) => trace_id === traceId)?.ip;
    });
  return { gateway, endpoint, post, readLoggedIp };
};

describe('unusual entries of ip_allowlist (publish-api.md: Authentication, 7)', () => {
  const test = shareHarness((stage) => setUp(stage));

  const lists: readonly (readonly [list: readonly string[], status: number])[] = [
    [['127.0.0.1'], 200],
    [['127.0.0.1/32'], 200],
    [['127.0.0.0/8'], 200],
    [['0.0.0.0/0'], 200],
    [['::ffff:127.0.0.1'], 200],
    [['::ffff:7f00:1'], 200],
    [['::ffff:127.0.0.0/104'], 200],
    [['::127.0.0.1'], 200], // an old notation of IPv4 in IPv6; the management API shows it as 127.0.0.1
    [['203.0.113.0/24', '::1', '127.0.0.0/30'], 200],
    [[], 200],
    [['127.0.0.2'], 401],
    [['126.0.0.0/8'], 401],
    [['::1'], 401],
    [['::/0'], 401], // every IPv6 address, and no IPv4 one
    [['2002:7f00:1::/48'], 401], // 6to4 is not IPv4 either
  ];
  for (const [list, status] of lists)
    test(`[${list.join(', ')}] from 127.0.0.1: ${status}`, async ({ endpoint, post }) => {
      expect(await post(await endpoint(list))).toBe(status);
    });

  const refused = [
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '127.0.0.01',
    '127.0.0.1/33',
    '127.0.0.1/-1',
    '127.0.0.1/08',
  ].concat([
    '127.0.0.0/8/8',
    '127.0.0.1/',
    '/8',
    '',
    ' 127.0.0.1',
    '10.0.0.1/8',
    'fe80::1%eth0',
    '::ffff:127.0.0.0/64',
    'localhost',
  ]);
  for (const entry of refused)
    test(`${JSON.stringify(entry)} is not a valid entry: 422`, async ({ gateway }) => {
      const answer = await fetch(`${gateway.url}/manage/v1/endpoints`, {
        method: 'POST',
        headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ owner_id: 'own_unknown', project_ids: [], mode: 'live', ip_allowlist: [entry] }),
      });
      const { details } = (await answer.json()) as { details: { path: string }[] };
      expect(answer.status).toBe(422);
      expect(details.map(({ path }) => path)).toContain('ip_allowlist[0]');
    });
});

describe('a forged X-Forwarded-For (publish-api.md: Authentication, 7)', () => {
  const test = shareHarness((stage) => setUp(stage));

  test('neither passes the allowlist nor changes the logged address if no proxy is trusted', async ({
    gateway,
    endpoint,
    post,
    readLoggedIp,
  }) => {
    const elsewhere = await endpoint(['203.0.113.7']);
    for (const forged of ['203.0.113.7', '203.0.113.7, 127.0.0.1', '127.0.0.1, 203.0.113.7'])
      expect(await post(elsewhere, forged)).toBe(401);
    const here = await endpoint(['127.0.0.1']);
    await publish(gateway.url, here, { text: 'a', trace_id: 'forged' }, { 'x-forwarded-for': '198.51.100.1' });
    expect(await readLoggedIp(here, 'forged')).toBe('127.0.0.1');
  });
});

describe('X-Forwarded-For behind a trusted proxy', () => {
  const test = shareHarness((stage) => setUp(stage, { TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' }));

  const chains: readonly (readonly [forwardedFor: string, status: number])[] = [
    ['203.0.113.7', 200],
    ['::ffff:203.0.113.7', 200],
    ['198.51.100.1, 203.0.113.7', 200], // addresses before the last untrusted one may be forged, and are ignored
    ['203.0.113.7, 10.1.2.3', 200],
    ['203.0.113.7, 198.51.100.1', 401],
    ['203.0.113.7, 198.51.100.1, 10.1.2.3', 401],
    ['203.0.113.7:443', 401],
    ['for=203.0.113.7', 401],
    ['0xcb.0.113.7', 401],
    ['0313.0.113.7', 401],
    ['3405803783', 401],
    ['203.0.113.7, nonsense', 401],
    ['nonsense', 401],
    ['fe80::1%br-lan', 401], // ipaddr.js rejects this address
    ['fe80::1%eth0.100, 10.1.2.3', 401],
    ['', 401],
    [', ,', 401],
    [`203.0.113.7, ${'198.51.100.1, '.repeat(500)}10.1.2.3`, 401],
  ];
  for (const [chain, status] of chains)
    test(`${JSON.stringify(chain.slice(0, 60))}: ${status}`, async ({ endpoint, post }) => {
      expect(await post(await endpoint(['203.0.113.7']), chain)).toBe(status);
    });

  test('the log has the client’s address', async ({ gateway, endpoint, readLoggedIp }) => {
    const open = await endpoint([]);
    const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7, 10.1.2.3' };
    await publish(gateway.url, open, { text: 'a', trace_id: 'proxied' }, headers);
    expect(await readLoggedIp(open, 'proxied')).toBe('203.0.113.7');
  });

  test('the log has nothing but addresses, IPv4 ones in IPv4 notation, and no zones', async ({
    gateway,
    endpoint,
    readLoggedIp,
  }) => {
    const open = await endpoint([]);
    const addresses = {
      '::ffff:203.0.113.7': '203.0.113.7',
      'fe80::1%br-lan': 'fe80::1',
      '2001:DB8:0::7': '2001:db8::7',
      // A value that is not an address counts as the nearest trusted hop's.
      nonsense: '127.0.0.1',
      'nonsense, 10.1.2.3': '10.1.2.3',
      '203.0.113.7, nonsense, 10.1.2.3': '10.1.2.3',
      '203.0.113.7:443': '127.0.0.1',
      [`${'x'.repeat(7_008)}`]: '127.0.0.1',
    };
    for (const [address, logged] of Object.entries(addresses)) {
      const trace_id = address.slice(0, 50);
      await publish(gateway.url, open, { text: 'a', trace_id }, { 'x-forwarded-for': address });
      expect(await readLoggedIp(open, trace_id)).toBe(logged);
    }
  });
});
