import { listManagementRoutes } from './changing-routes.js';
import { createOwner, type ManagementHarness, startHarness } from './management-harness.js';

let harness: ManagementHarness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

/** Calls a route with an owner's key, and reads the body of an error: another answer may be an endless stream. */
const callAs = async (key: string, method: string, path: string): Promise<{ status: number; body: unknown }> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const stop = new AbortController();
  const options = { method, headers, signal: stop.signal, ...(method !== 'GET' && { body: '{}' }) };
  const response = await fetch(`${harness.url}/manage/v1${path}`, options);
  const body = response.status >= 400 ? await response.json() : null;
  stop.abort();
  return { status: response.status, body };
};

const ROUTES = listManagementRoutes().map((route) => [`${route.method} ${route.path}`, route] as const);

it('finds the routes of both kinds', () => {
  const forOperator = ROUTES.filter(([, { operatorOnly }]) => operatorOnly !== undefined);
  expect(forOperator.length).toBeGreaterThan(20);
  expect(ROUTES.length - forOperator.length).toBeGreaterThan(50);
});

it.each(ROUTES)(
  "%s refuses an owner with 403 if, and only if, it is documented as the operator's",
  async (_, route) => {
    // One owner per route, because one of the routes replaces the key; the owner's own id passes the visibility check.
    const { id, caller } = await createOwner(harness);
    const path = route.path.startsWith('/owners/') ? route.path.replace(':id', id) : route.path.replaceAll(':', '');
    const { status, body } = await callAs(caller.key, route.method, path);
    if (route.operatorOnly === undefined) return expect(status).not.toBe(403);
    expect({ status, body }).toMatchObject({
      status: 403,
      body: { code: 'forbidden', errors: [route.operatorOnly] },
    });
  },
);

it("hides other owners, and ids that cannot be, behind 404 before it says that a route is the operator's", async () => {
  const [{ caller }, other] = [await createOwner(harness), await createOwner(harness)];
  for (const [method, path] of [
    ['DELETE', `/owners/${other.id}`],
    ['POST', `/owners/${other.id}/post-packs`],
    ['DELETE', '/owners/own_none'],
    ['DELETE', '/owners/own-none'],
    ['GET', '/jobs/job-none'],
  ] as const)
    expect(await callAs(caller.key, method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
