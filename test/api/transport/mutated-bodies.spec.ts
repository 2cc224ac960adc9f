import fc from 'fast-check';
import { manageOf, sharing } from '../../e2e/e2e-harness.js';
import { mutatedBody } from './mutations.js';
import { observed } from './observed.js';

const BODIES = process.env.TEST_LONG ? 100_000 : 2_000;
const AT_ONCE = 20;
const SEED = Number(process.env.SEED ?? 20_260_401);
/** An answer that has not come by then never will. */
const HANGS_AFTER_MS = 30_000;

describe('bodies that were tampered with', () => {
  const test = sharing(async (stage) => {
    const telegram = await stage.telegram();
    const settings = { DATA_DIR: await stage.folder(), TELEGRAM_API_URL: telegram.url, MEDIA_PROBE: 'off' };
    const gateway = await stage.gateway({ ...(await stage.database()), ...settings });
    const { endpoints } = await manageOf(gateway).seed(1, [[0]]);
    return { gateway, endpoint: endpoints[0]! };
  });

  test(
    `${BODIES} of them (SEED=${SEED}): never a 5xx, never a hang, always JSON that says ok, always a request id`,
    async ({ gateway, endpoint }) => {
      const statuses = new Map<number, number>();
      const check = async (body: Buffer, route: string): Promise<void> => {
        const answer = await fetch(gateway.url + endpoint.path + route, {
          method: 'POST',
          headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' },
          body: new Uint8Array(body),
          signal: AbortSignal.timeout(HANGS_AFTER_MS),
        });
        const said = (await answer.json()) as { ok: unknown; errors?: unknown; request_id?: string };
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect([200, 202, 400, 422]).toContain(answer.status);
        expect(said.ok).toBe(answer.status < 300);
        expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
        if (answer.status < 300) return;
        expect(said.request_id).toBe(answer.headers.get('x-request-id'));
        expect(said.errors).toEqual(expect.arrayContaining([expect.stringMatching(/./)]));
      };
      const crowd = fc.array(fc.tuple(mutatedBody, fc.constantFrom('', '', '', '/temp-pause', '/temp-resume')), {
        minLength: AT_ONCE,
        maxLength: AT_ONCE,
      });
      await observed(`${BODIES} mutated bodies`, gateway, () =>
        fc.assert(
          fc.asyncProperty(crowd, async (bodies) => {
            await Promise.all(bodies.map(([body, route]) => check(body, route)));
          }),
          { numRuns: BODIES / AT_ONCE, seed: SEED, endOnFailure: Boolean(process.env.TEST_LONG) },
        ),
      );
      // Mutations that are all refused at the same gate, or all taken, would prove little.
      for (const status of [200, 400, 422]) expect(statuses.get(status)).toBeGreaterThan(BODIES / 100);
    },
    process.env.TEST_LONG ? 1_800_000 : 60_000,
  );
});
