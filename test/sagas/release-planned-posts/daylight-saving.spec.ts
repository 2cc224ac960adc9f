import { iso } from '../../../src/kernel/clock.js';
import { TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';

/**
 * Local times around both clock changes, as people in these zones write them, with the instants that they mean.
 */
const PLANS: readonly (readonly [zone: string, local: string, instant: string])[] = [
  ['America/New_York', '2027-03-14T01:59:59-05:00', '2027-03-14T06:59:59Z'],
  ['America/New_York', '2027-03-14T03:00:00-04:00', '2027-03-14T07:00:00Z'],
  ['Europe/Berlin', '2027-03-28T01:59:59+01:00', '2027-03-28T00:59:59Z'],
  ['Europe/Berlin', '2027-03-28T03:00:00+02:00', '2027-03-28T01:00:00Z'],
  // Lord Howe Island moves its clock by half an hour.
  ['Australia/Lord_Howe', '2027-04-04T01:45:00+11:00', '2027-04-03T14:45:00Z'],
  ['Australia/Lord_Howe', '2027-04-04T01:45:00+10:30', '2027-04-03T15:15:00Z'],
  ['Australia/Lord_Howe', '2027-10-03T01:59:59+10:30', '2027-10-02T15:29:59Z'],
  ['Australia/Lord_Howe', '2027-10-03T02:30:00+11:00', '2027-10-02T15:30:00Z'],
  ['Europe/Berlin', '2027-10-31T02:30:00+02:00', '2027-10-31T00:30:00Z'],
  ['Europe/Berlin', '2027-10-31T02:30:00+01:00', '2027-10-31T01:30:00Z'],
  ['America/New_York', '2027-11-07T01:30:00-04:00', '2027-11-07T05:30:00Z'],
  ['America/New_York', '2027-11-07T01:30:00-05:00', '2027-11-07T06:30:00Z'],
];

let now = Date.parse('2027-03-01T00:00:00Z');
let gateway: TestGateway;
beforeAll(async () => {
  const clock = { now: () => now };
  gateway = await TestGateway.start({}, clock, { clock });
});
afterAll(() => gateway.stop());

it.each(PLANS)('in %s the local time %s is the instant %s', (timeZone, local, instant) => {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  expect(shown.format(Date.parse(instant)).replace(' ', 'T')).toBe(local.slice(0, 19));
});

it('releases posts that were planned by local times at the right instants, over both changes of the clock', async () => {
  const owner = await gateway.createOwner();
  const channel = await gateway.createChannel(owner);
  const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
  const posts: { readonly id: string; readonly text: string; readonly due: number }[] = [];
  for (const [zone, local, instant] of PLANS.toReversed()) {
    const text = `${local} in ${zone}`;
    const { status, body } = await endpoint.post('', { text, publish_at: local });
    expect([status, body.publish_at]).toEqual([200, iso(Date.parse(instant))]);
    posts.unshift({ id: body.id, text, due: Date.parse(instant) });
  }
  const releasedAt = async (id: string) => (await gateway.manage('GET', `/posts/${id}`)).released_at;
  for (const [n, { id, due }] of posts.entries()) {
    now = due - 1;
    if (n > 0) expect(await releasedAt(posts[n - 1]!.id)).not.toBeNull();
    expect(await releasedAt(id)).toBeNull();
    now = due;
    // The clock stands still, so a release that came too early would show its time.
    expect(await until(`${id} is released`, () => releasedAt(id))).toBe(iso(due));
  }
  await gateway.waitForText(channel.chatId, posts.at(-1)!.text);
  expect(await gateway.readWall(channel.chatId)).toEqual(posts.map(({ text }) => text));
});
