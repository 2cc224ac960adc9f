import { until } from '../../e2e/until.js';
import {
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

let harness: ManagementHarness;
let setup: PublishingSetup;
let stranger: TestOwner;
let post: string;
beforeAll(async () => {
  harness = await startHarness({ MINUTE_MS: '10', LIMITS_PROFILE });
  setup = await PublishingSetup.create(harness);
  stranger = await createOwner(harness);
  post = await setup.sendPost();
  await setup.waitForState(post, 'published');
  await until('it is listed', async () => (await readCsv(setup.owner)).includes(post));
});
afterAll(() => harness.stop());

const readCsv = async ({ caller }: TestOwner, query = ''): Promise<string> =>
  (await caller.get(`/statistics.csv${query}`).expect(200)).text;

it("shows an owner its own posts' numbers, and no others", async () => {
  const { owner, channel } = setup;
  const own = await owner.caller.get(`/posts/${post}/statistics`).expect(200);
  expect(own.body).toMatchObject({ id: post, publications: [{ target_id: channel.id, samples: [] }] });
  const { buckets } = (await owner.caller.get(`/channels/${channel.id}/statistics?bucket=hour&since=${sinceHours(2)}`))
    .body;
  expect(buckets.map(({ published }: { published: number }) => published).reduce((a: number, b: number) => a + b)).toBe(
    1,
  );
  expect(await readCsv(owner)).toContain(post);

  await stranger.caller.get(`/posts/${post}/statistics`).expect(404);
  await stranger.caller.get(`/channels/${channel.id}/statistics`).expect(404);
  await stranger.caller.get(`/statistics/top?owner_id=${owner.id}`).expect(404);
  await stranger.caller.get(`/statistics.csv?owner_id=${owner.id}`).expect(404);
  expect((await readCsv(stranger)).trimEnd().split('\r\n')).toHaveLength(1);
  expect((await readCsv(stranger, `?channel_id=${channel.id}`)).trimEnd().split('\r\n')).toHaveLength(1);
});

it('shows the operator all, or those of one owner', async () => {
  const { caller } = { caller: operatorCaller(harness) };
  expect((await caller.get('/statistics.csv').expect(200)).text).toContain(post);
  expect((await caller.get(`/statistics.csv?owner_id=${stranger.id}`).expect(200)).text).not.toContain(post);
  expect((await caller.get('/statistics/top').expect(200)).body).toEqual({ items: [] }); // Telegram gives no numbers
});

it('takes the setting of a channel when it is connected, and later', async () => {
  const { owner, channel } = setup;
  const read = async () => (await owner.caller.get(`/channels/${channel.id}`).expect(200)).body.settings;
  expect(await read()).toMatchObject({ statistics: 'on' });
  await owner.caller.patch(`/channels/${channel.id}`, { settings: { statistics: 'off' } }).expect(200);
  expect(await read()).toMatchObject({ statistics: 'off' });
  expect((await owner.caller.get(`/posts/${post}/statistics`)).body.publications[0].statistics.state).toBe('off');
  const { body } = await owner.caller
    .patch(`/channels/${channel.id}`, { settings: { statistics: 'maybe' } })
    .expect(422);
  expect(body.errors[0]).toMatch(/^settings\.statistics.*on.*off/);
});

const sinceHours = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
