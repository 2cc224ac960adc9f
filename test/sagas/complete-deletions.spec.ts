import { Deletions } from '../../src/commands/deletion.js';
import { TestGateway } from '../api/public/gateway.js';
import { until } from '../e2e/until.js';

// eslint-disable-next-line @typescript-eslint/unbound-method -- this file replaces them
const { completeNow, completeChannel } = Deletions.prototype;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start();
});
afterAll(async () => {
  Object.assign(Deletions.prototype, { completeNow, completeChannel });
  await gateway.stop();
});

it('an interrupted deletion of one owner is completed while that of another owner takes long', async () => {
  const setUp = async () => {
    const owner = await gateway.createOwner();
    const [gone, kept] = [await gateway.createChannel(owner), await gateway.createChannel(owner)];
    return { gone: gone.id, kept: kept.id, project: await gateway.createProject(owner, [gone, kept]) };
  };
  const [slow, other] = [await setUp(), await setUp()];
  const channelsOf = async ({ project }: typeof slow): Promise<string[]> =>
    (await gateway.manage('GET', `/projects/${project}`)).channel_ids;

  let letContinue = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letContinue = resolve));
  let hasBegun = false;
  // Each request dies after the event.
  Deletions.prototype.completeNow = (deleted) => Promise.resolve(deleted);
  Deletions.prototype.completeChannel = async function (channelId, ...rest) {
    if (channelId === slow.gone) {
      hasBegun = true;
      await gate;
    }
    return completeChannel.call(this, channelId, ...rest);
  };
  await gateway.callManagement('DELETE', `/channels/${slow.gone}?cascade=true`);
  await until('the saga works on it', () => hasBegun);
  await gateway.callManagement('DELETE', `/channels/${other.gone}?cascade=true`);
  await until('the other deletion is complete', async () => (await channelsOf(other)).length === 1);
  expect(await channelsOf(slow)).toHaveLength(2);
  letContinue();
  await until('both are complete', async () => (await channelsOf(slow)).length === 1);
  expect([await channelsOf(slow), await channelsOf(other)]).toEqual([[slow.kept], [other.kept]]);
});
