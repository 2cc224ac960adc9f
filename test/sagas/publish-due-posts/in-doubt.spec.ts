import { type Line, Networks, VK_COMMUNITY_TOKEN } from './networks.js';

let networks: Networks;
beforeAll(async () => (networks = await Networks.start({ MINUTE_MS: '1000' })));
afterAll(() => networks.stop());

const texts = async (line: Line): Promise<string[]> => (await line.wall()).map(({ text }) => text);
/** The next post is taken, and its answer is lost. */
const loseAnswer = (line: Line, method: string): Promise<void> =>
  line.network.addFault({ mode: 'accept_then_drop', method, channel: line.chat });
const loseCall = (line: Line, method: string): Promise<void> =>
  line.network.addFault({ mode: 'drop_before_accepting', method, channel: line.chat });

const POST = { max: 'POST /messages', vk: 'wall.post', ok: 'mediatopic.post', telegram: 'sendMessage' };
const LOOK = { max: 'GET /messages', vk: 'wall.get' };

describe('a send in doubt (D-25), where the network can be asked', () => {
  it.each(['max', 'vk'] as const)('%s: is found, and published once, in one attempt', async (platform) => {
    const line = await networks.line(platform);
    await loseAnswer(line, POST[platform]);
    const [first, next] = [await line.send({ text: 'first' }), await line.send({ text: 'next' })];
    const { attempts, message_ids } = await line.inState(first, 'published');
    expect(attempts).toMatchObject([{ outcome: 'published', error: null }]);
    await line.inState(next, 'published');
    expect(await texts(line)).toEqual(['first', 'next']);
    expect(message_ids).toEqual([(await line.wall())[0]!.message_id]);
  });

  it('is sent again where it surely is not there, although an older post has its very words', async () => {
    const onNetwork = async (platform: 'max' | 'vk'): Promise<void> => {
      const line = await networks.line(platform);
      const older = await line.inState(await line.send({ text: 'the same' }), 'published');
      await loseCall(line, POST[platform]);
      const id = await line.send({ text: 'the same' });
      const { attempts, message_ids } = await line.inState(id, 'published');
      expect(attempts).toMatchObject([{ outcome: 'postponed' }, { outcome: 'published' }]);
      expect(attempts[0]!.error).toMatchObject({ code: 'connection_lost', category: 'network' });
      const wall = await line.wall();
      expect(wall.map(({ text }) => text)).toEqual(['the same', 'the same']);
      expect([older.message_ids, message_ids]).toEqual(wall.map(({ message_id }) => [message_id]));
    };
    await Promise.all([onNetwork('max'), onNetwork('vk')]);
  });

  it('is held, and the channel with it, while the network cannot be asked', async () => {
    const line = await networks.line('max');
    await loseAnswer(line, POST.max);
    await line.network.addFault({ mode: 'answer', status: 503, method: LOOK.max, channel: line.chat, times: 2 });
    const [first, next] = [await line.send({ text: 'first' }), await line.send({ text: 'next' })];
    await line.when(first, 'is open', ({ state }) => state === 'publishing');
    await line.when(next, 'waits', ({ waiting_for }) => waiting_for?.rule === 'earlier_publication');
    await line.inState(next, 'published');
    expect(await texts(line)).toEqual(['first', 'next']);
    expect((await line.publication(first)).attempts).toHaveLength(1);
  });

  it('stays in doubt where the network does not show what it has; its owner may have it sent again', async () => {
    const line = await networks.line('max');
    await loseAnswer(line, POST.max);
    await line.network.addFault({ mode: 'answer', status: 403, method: LOOK.max, channel: line.chat });
    const id = await line.send({ text: 'who knows' });
    const { id: publication } = await line.inState(id, 'in_doubt');
    await networks.gateway.manage('POST', `/publications/${publication}/resend`);
    await line.inState(id, 'published');
    expect(await texts(line)).toEqual(['who knows', 'who knows']);
  });

  it('brings its pauses along before its success is told', async () => {
    const line = await networks.line('max');
    await loseAnswer(line, POST.max);
    const id = await line.send({ text: 'ad', ad_pause_minutes: 5, ad_target_pause_minutes: 5 });
    const { id: publication } = await line.inState(id, 'published');
    const success = (await networks.gateway.events(`publication-${publication}`)).at(-1)!;
    for (const stream of [`channelPause-${line.channelId}`, `projectPause-${line.projectId}`]) {
      const [pause] = await networks.gateway.events(stream);
      expect(pause!.position).toBeLessThan(success.position);
    }
  });
});

describe('a send in doubt, where the network knows a key', () => {
  it('is sent again with it, and stands there once', async () => {
    const line = await networks.line('vk', {
      credentials: { access_token: VK_COMMUNITY_TOKEN, upload_token: undefined },
    });
    await loseAnswer(line, POST.vk);
    const id = await line.send({ text: 'once' });
    const { attempts } = await line.inState(id, 'published');
    expect(attempts).toHaveLength(1);
    expect(await texts(line)).toEqual(['once']);
    const { items } = await line.network.calls({ method: POST.vk });
    const guids = items.filter(({ channel }) => channel === line.chat).map(({ request }) => request['guid']);
    expect(guids).toHaveLength(2);
    expect(new Set(guids).size).toBe(1);
  });
});

describe('a send in doubt, while its channel is paused', () => {
  it('waits for the end of the pause, and is then sent again with its key', async () => {
    const line = await networks.line('vk', {
      credentials: { access_token: VK_COMMUNITY_TOKEN, upload_token: undefined },
    });
    await loseCall(line, POST.vk);
    const id = await line.send({ text: 'once' });
    await line.when(id, 'is open', ({ state }) => state === 'publishing');
    expect((await line.endpoint.post('temp-pause', { target_minutes: 4 })).status).toBe(200);
    const { attempts } = await line.inState(id, 'published');
    expect(attempts).toHaveLength(1);
    expect(await texts(line)).toEqual(['once']);
    const [pause] = await networks.gateway.events(`channelPause-${line.channelId}`);
    const success = (await networks.gateway.events(`publication-${(await line.publication(id)).id}`)).at(-1)!;
    expect((success.data as { at: number }).at).toBeGreaterThan((pause!.data as { until: number }).until);
  });
});

/** Looks in vain: five take 45 s, and the next comes after two minutes. */
const LOOKS = process.env.TEST_LONG ? 5 : 2;

describe('a send in doubt, where the network is away', () => {
  it.each(['max', 'vk'] as const)(
    '%s: is found out when it is back, in order',
    async (platform) => {
      const line = await networks.line(platform);
      const fault = { channel: line.chat, mode: 'answer', status: 503 } as const;
      await loseAnswer(line, POST[platform]);
      await line.network.addFault({ ...fault, method: LOOK[platform], times: LOOKS });
      const [first, next] = [await line.send({ text: 'first' }), await line.send({ text: 'next' })];
      await line.inState(next, 'published');
      expect((await line.publication(first)).attempts).toMatchObject([{ outcome: 'published' }]);
      expect(await texts(line)).toEqual(['first', 'next']);
    },
    300_000,
  );
});

describe('a send in doubt, where there is neither', () => {
  it.each(['ok', 'telegram'] as const)('%s: is for the owner to decide, and holds nothing back', async (platform) => {
    const line = await networks.line(platform);
    await loseAnswer(line, POST[platform]);
    const [first, next] = [await line.send({ text: 'first' }), await line.send({ text: 'next' })];
    await line.inState(next, 'published');
    expect((await line.publication(first)).state).toBe('in_doubt');
    expect(await texts(line)).toEqual(['first', 'next']);
  });

  it('is sent again by itself where the channel wants that (`on_doubt: resend`)', async () => {
    const line = await networks.line('ok', { settings: { on_doubt: 'resend' } });
    await loseAnswer(line, POST.ok);
    const id = await line.send({ text: 'rather twice' });
    const { attempts } = await line.inState(id, 'published');
    expect(attempts).toMatchObject([{ outcome: 'postponed' }, { outcome: 'published' }]);
    expect(await texts(line)).toEqual(['rather twice', 'rather twice']);
  });
});
