import { type Line, Networks } from './networks.js';

const HOUR = 3_600_000;

/** The worker's clock: hours pass when a test says so. */
let ahead = 0;
let networks: Networks;
beforeAll(async () => (networks = await Networks.start({}, { now: () => Date.now() + ahead })));
afterAll(() => networks.stop());

const refuse = ({ network, chat }: Line, times: number | null = null): Promise<void> =>
  network.addFault({ mode: 'answer', method: 'sendMessage', channel: chat, status: 401, times });
const waits = (line: Line, postId: string) =>
  line.when(postId, 'waits for a person', ({ waiting_for }) => waiting_for?.rule === 'needs_attention');
const statusOf = async ({ channelId }: Line): Promise<string> =>
  (await networks.gateway.manage('GET', `/channels/${channelId}`)).status;

describe('an invalid credential (D-26)', () => {
  it('marks its channel and holds its queue; others go on, also in the same project', async () => {
    const owner_id = await networks.gateway.owner();
    const line = await networks.line('telegram', { owner_id });
    const other = await networks.line('telegram', { owner_id });
    await networks.gateway.manage('PATCH', `/projects/${line.projectId}`, {
      channel_ids: [line.channelId, other.channelId],
    });
    await refuse(line);
    for (const text of ['a', 'b']) await line.send({ text });
    await networks.gateway.settle(other.chat, 'b');
    expect((await other.wall()).map(({ text }) => text)).toEqual(['a', 'b']);
    expect(await statusOf(line)).toBe('needs_attention');
    expect(await statusOf(other)).toBe('ok');
    expect(await line.wall()).toEqual([]);
    const { items } = await line.network.calls({ method: 'sendMessage' });
    expect(items.filter(({ channel }) => channel === line.chat)).toHaveLength(1);
  });

  it('is healed by a new one, set over the management API: what waits goes out in its order', async () => {
    const line = await networks.line('telegram');
    await refuse(line, 1);
    const ids = [await line.send({ text: 'a' }), await line.send({ text: 'b' }), await line.send({ text: 'c' })];
    for (const id of ids) await waits(line, id);
    const credentials = { bot_token: `2000:${'n'.repeat(35)}`, chat_id: line.chat };
    const healed = await networks.gateway.manage('PATCH', `/channels/${line.channelId}`, { credentials });
    expect(healed.status).toBe('ok');
    for (const id of ids) await line.inState(id, 'published');
    expect((await line.wall()).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  });

  it('ends what waits after 24 hours, all of it', async () => {
    const line = await networks.line('telegram');
    await refuse(line);
    const ids = [await line.send({ text: 'a' }), await line.send({ text: 'b' })];
    for (const id of ids) await waits(line, id);
    ahead += 24 * HOUR - 60_000;
    const late = await line.send({ text: 'late' });
    await waits(line, late);
    ahead += 61_000;
    for (const id of [...ids, late]) {
      const { attempts } = await line.inState(id, 'failed');
      expect(attempts.at(-1)).toMatchObject({
        outcome: 'failed',
        error: { code: 'unauthorized', category: 'credentials' },
      });
    }
    const flagged = (await networks.types(`channel-${line.channelId}`)).filter(
      (type) => type === 'ChannelNeedsAttention',
    );
    expect(flagged).toHaveLength(1);
  });
});
