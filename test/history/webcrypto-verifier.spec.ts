import { type ManagementHarness, operatorCaller, startHarness } from '../api/management/management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from '../api/management/publishing-setup.js';
import { computeHash, type EventJson, verifyInclusion } from './webcrypto-verifier.js';

describe('events verified by a browser', () => {
  let harness: ManagementHarness;
  let setup: PublishingSetup;
  let events: EventJson[];
  let vkey: string;
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE });
    setup = await PublishingSetup.create(harness);
    const text = 'Ünïcode 👩‍👩‍👧, "quotes" \\ and\nlines\u2028\u0007';
    const metadata = { 2: 'two', 1: 'one', price: 1e21, part: 0.1, none: null, nested: [{ a: [] }] };
    for (const payload of [{ text, metadata, external_id: 'ünï' }, { text: 'Second' }])
      await setup.waitForState(await setup.sendPost(payload), 'published');
    const { owner, channel, project } = setup;
    await owner.caller.patch(`/channels/${channel.id}`, { name: 'Neu – «новый»' }).expect(200);
    await operatorCaller(harness).post(`/projects/${project}/pause`, { minutes: 5 }).expect(200);
    await owner.caller.post(`/projects/${project}/resume`).expect(200);
    events = (await owner.caller.get('/history/events?limit=200').expect(200)).body.items;
    vkey = (await owner.caller.get('/history/log/key').expect(200)).body.vkey;
  });
  afterAll(() => harness.stop());

  const readProof = async ({ id }: EventJson): Promise<string> =>
    (await setup.owner.caller.get(`/history/log/proof/${id}`).expect(200)).text;

  it('have the hash that their JSON says, chained to the event before', async () => {
    expect(events.length).toBeGreaterThan(10);
    const ofPlace = new Map(events.map((event) => [`${event.stream}@${event.revision}`, event]));
    for (const event of events) {
      const previous = event.revision === 0 ? '' : ofPlace.get(`${event.stream}@${event.revision - 1}`)!.hash;
      expect({ type: event.type, hash: await computeHash(event, previous) }).toEqual({
        type: event.type,
        hash: event.hash,
      });
    }
  });

  it('are in the tree of the signed checkpoint', async () => {
    for (const event of events) await verifyInclusion(event, await readProof(event), vkey);
  });

  it('are refused when the event, the path, the checkpoint or the key is another', async () => {
    const [event, other] = events as [EventJson, EventJson];
    const proof = await readProof(event);
    const refused = async (changed: EventJson, text: string, key = vkey) =>
      expect(verifyInclusion(changed, text, key)).rejects.toThrow();
    await refused({ ...event, hash: other.hash }, proof);
    await refused({ ...event, revision: event.revision + 1 }, proof);
    await refused(other, proof);
    await refused(event, proof.replace(/^index \d+$/m, 'index 0'));
    const lines = proof.split('\n');
    await refused(event, [...lines.slice(0, 2), ...lines.slice(3)].join('\n'));
    const [origin, size] = lines.slice(lines.indexOf('') + 1) as [string, string];
    await refused(event, proof.replace(`${origin}\n${size}\n`, `${origin}\n${Number(size) + 1}\n`));
    const typed = Buffer.concat([Buffer.from([1]), Buffer.alloc(32, 9)]);
    await refused(event, proof, `${vkey.split('+').slice(0, 2).join('+')}+${typed.toString('base64')}`);
    expect(await computeHash({ ...event, actor: 'operator:other' }, '')).not.toBe(event.hash);
  });
});
