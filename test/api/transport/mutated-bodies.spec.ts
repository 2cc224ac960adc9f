import fc from 'fast-check';
import { createManagementClient, shareHarness } from '../../e2e/e2e-harness.js';
import { mutatedBody } from './mutations.js';
import { observeGateway } from './observe-gateway.js';

const BODIES = process.env.TEST_LONG ? 100_000 : 1_000;
const AT_ONCE = 20;
const SEED = Number(process.env.SEED ?? 20_260_401);
/** Time after which a request counts as hanging, in ms. */
const HANGS_AFTER_MS = 30_000;

describe('mutated bodies', () => {
  const test = shareHarness(async (stage) => {
    const telegram = await stage.startTelegram();
    const settings = { DATA_DIR: await stage.createFolder(), TELEGRAM_API_URL: telegram.url, MEDIA_PROBE: 'off' };
    const gateway = await stage.startGateway({ ...(await stage.createDatabase()), ...settings });
    const { endpoints } = await createManagementClient(gateway).seed(1, [[0]]);
    return { gateway, endpoint: endpoints[0]! };
  });

  test(
    `${BODIES} of them (SEED=${SEED}): never a 5xx, never a hang, always JSON with ok, always a request id`,
    async ({ gateway, endpoint }) => {
      const statuses = new Map<number, number>();
      const check = async (body: Buffer, route: string): Promise<void> => {
        const answer = await fetch(gateway.url + endpoint.path + route, {
          method: 'POST',
          headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' },
          body: new Uint8Array(body),
          signal: AbortSignal.timeout(HANGS_AFTER_MS),
        });
        const answered = (await answer.json()) as { ok: unknown; errors?: unknown; request_id?: string };
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect([200, 202, 400, 422]).toContain(answer.status);
        expect(answered.ok).toBe(answer.status < 300);
        expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
        if (answer.status < 300) return;
        expect(answered.request_id).toBe(answer.headers.get('x-request-id'));
        expect(answered.errors).toEqual(expect.arrayContaining([expect.stringMatching(/./)]));
      };
      const batch = fc.array(fc.tuple(mutatedBody, fc.constantFrom('', '', '', '/temp-pause', '/temp-resume')), {
        minLength: AT_ONCE,
        maxLength: AT_ONCE,
      });
      await observeGateway(`${BODIES} mutated bodies`, gateway, () =>
        fc.assert(
          fc.asyncProperty(batch, async (bodies) => {
            await Promise.all(bodies.map(([body, route]) => check(body, route)));
          }),
          { numRuns: BODIES / AT_ONCE, seed: SEED, endOnFailure: Boolean(process.env.TEST_LONG) },
        ),
      );
      // Mutations that are all rejected by the same check, or all accepted, would prove little.
      for (const status of [200, 400, 422]) expect(statuses.get(status)).toBeGreaterThan(BODIES / 100);
    },
    process.env.TEST_LONG ? 1_800_000 : undefined,
  );
});
