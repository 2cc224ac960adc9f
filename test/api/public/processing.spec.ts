import { until } from '../../e2e/until.js';
import { png } from '../../media/make-images.js';
import { TestHost } from '../../media/test-host.js';
import { startTranslator, type TestTranslator } from '../../stand-ins/libretranslate/stand-in.js';
import { type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

let gateway: TestGateway;
let translator: TestTranslator;
let host: TestHost;
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
  translator = await startTranslator();
  host = await TestHost.start();
  owner = await gateway.owner();
});
afterEach(async () => {
  await translator.control.clearFaults();
  await gateway.telegram.clearFaults();
});
afterAll(async () => {
  await host.stop();
  await translator.stop();
  await gateway.stop();
});

/** A project with channels of its own, and an endpoint that posts into it. */
interface Line {
  readonly project: string;
  readonly channels: readonly TestChannel[];
  readonly endpoint: TestEndpoint;
}
const project = async (channels: readonly TestChannel[], processing: object): Promise<string> => {
  const channel_ids = channels.map(({ id }) => id);
  return (await gateway.manage('POST', '/projects', { owner_id: owner, name: 'Project', channel_ids, processing })).id;
};
const line = async (processing: object, count = 1): Promise<Line> => {
  const channels: TestChannel[] = [];
  for (let i = 0; i < count; i++) channels.push(await gateway.channel(owner));
  const id = await project(channels, processing);
  return { project: id, channels, endpoint: await gateway.endpoint(owner, [id]) };
};
const change = (id: string, processing: object) => gateway.manage('PATCH', `/projects/${id}`, { processing });

const send = async ({ endpoint }: Pick<Line, 'endpoint'>, payload: object): Promise<string> => {
  const { status, body } = await endpoint.post('', payload);
  expect(status).toBe(200);
  return body.id;
};
const publications = async (post: string) => (await gateway.manage('GET', `/posts/${post}`)).publications;
/** Waits until all publications of a post are in a state; answers them. */
const inState = (post: string, state: string) =>
  until(`${post} is ${state}`, async () => {
    const all: { state: string }[] = await publications(post);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as management-api.md has them
    return all.every((one) => one.state === state) ? (all as any[]) : null;
  });
const wallOf = ({ chatId }: TestChannel) => gateway.telegram.ledger({ channel: chatId });
/** The first call of a publication to Telegram is put off for a second: by then anything may be changed. */
const putOff = ({ chatId }: TestChannel, method = 'sendMessage') =>
  gateway.telegram.addFault({
    ...{ mode: 'answer', method, channel: chatId, status: 429 },
    body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } },
  });

const translation = (more: object = {}) => ({
  ...{ provider: 'libretranslate', url: translator.url, source: 'ru', target: 'en', on_failure: 'publish_original' },
  ...more,
});

describe('what a project does to posts (D-28)', () => {
  it('is done when they are published, and shown by the sandbox to the letter (D-38)', async () => {
    const ours = await line({
      footer: { marker: '— — —' },
      replacements: [{ from: 'colour', to: 'color', whole_word: true, ignore_case: true }],
      translation: translation(),
      signature: {
        text: 'Acme 🎈 news',
        entities: [{ type: 'text_link', offset: 0, length: 4, url: 'https://acme.example/' }],
      },
    });
    const text = '🎈 Colour и @acme\n— — —\nчужой канал';
    const payload = {
      text,
      entities: [
        { type: 'bold', offset: 3, length: 6 },
        { type: 'code', offset: 12, length: 5 },
        { type: 'blockquote', offset: 0, length: 25 },
      ],
    };
    const { telegram, vk } = (await ours.endpoint.sandbox(payload)).body.preview;
    await send(ours, payload);
    const shown = '🎈 color·en и·en @acme\n\nAcme 🎈 news';
    await gateway.settle(ours.channels[0]!.chatId, shown);
    const [entry] = await wallOf(ours.channels[0]!);
    expect(entry!.entities.map(({ type, offset, length }) => [type, offset, length])).toEqual([
      ['blockquote', 0, 22],
      ['bold', 3, 8],
      ['code', 17, 5],
      ['text_link', 24, 4],
    ]);
    const { items } = await gateway.telegram.calls({ method: 'sendMessage' });
    const called = { step: 'message', method: 'sendMessage', request: items.at(-1)!.request };
    expect(telegram.requests).toEqual([{ ...called, target_id: ours.channels[0]!.id }]);
    expect(telegram).toMatchObject({ text_after_trim: shown, trimmed_chars: 0, warnings: [] });
    expect(vk.text_after_trim).toBe('🎈 color·en и·en @\u200bacme\n\nAcme (https://acme.example/) 🎈 news');
  });

  it('by a filter keeps a post from a target, says why, and holds nothing else back', async () => {
    const ours = await line({ filters: [{ mode: 'exclude', words: ['casino'], platforms: ['telegram'] }] });
    const [channel] = ours.channels as [TestChannel];
    const open = await project([await gateway.channel(owner), channel], {});
    const both = await gateway.endpoint(owner, [ours.project, open]);
    const reason = { code: 'filtered', message: expect.stringContaining('filter 1 (exclude) finds the word "casino"') };

    const kept = await send({ endpoint: both }, { text: 'A CASINO' });
    const next = await send({ endpoint: both }, { text: 'A cat' });
    await inState(next, 'published');
    const states = (await publications(kept)).map(({ project_id, state, warnings, waiting_for, attempts }: never) => ({
      ...{ project_id, state, warnings, waiting_for, attempts },
    }));
    expect(states).toContainEqual({
      ...{ project_id: ours.project, state: 'filtered', warnings: [reason], waiting_for: null, attempts: [] },
    });
    expect(states).toContainEqual(expect.objectContaining({ project_id: open, state: 'published', warnings: [] }));
    expect(await gateway.wall(channel.chatId)).toEqual(['A cat']);

    const { preview, would_create_post } = (await ours.endpoint.sandbox({ text: 'A CASINO' })).body;
    expect(would_create_post).toBe(true);
    expect(preview.telegram).toEqual({ text_after_trim: '', trimmed_chars: 0, requests: [], warnings: [reason] });
    expect(preview.vk).toMatchObject({ text_after_trim: 'A CASINO', warnings: [{ code: 'no_target' }] });
  });

  it('leaves nothing where a footer was all there was: filtered, with that reason (D-22)', async () => {
    const ours = await line({ footer: { marker: 'Ad' }, signature: { text: 'Acme' } });
    const [publication] = await inState(await send(ours, { text: 'Ad: buy' }), 'filtered');
    expect(publication.warnings).toEqual([{ code: 'nothing_to_send', message: expect.any(String) }]);
  });

  it('is what the first of the endpoint’s projects does, where a channel is in two of them (D-27)', async () => {
    const channel = await gateway.channel(owner);
    const [a, b] = [
      await project([channel], { signature: { text: 'A' } }),
      await project([channel], { signature: { text: 'B' } }),
    ];
    const ab = await gateway.endpoint(owner, [a, b]);
    const ba = await gateway.endpoint(owner, [b, a]);
    expect((await ba.sandbox({ text: 'x' })).body.preview.telegram.text_after_trim).toBe('x\n\nB');
    await inState(await send({ endpoint: ab }, { text: 'one' }), 'published');
    const [second] = await inState(await send({ endpoint: ba }, { text: 'two' }), 'published');
    expect(await gateway.wall(channel.chatId)).toEqual(['one\n\nA', 'two\n\nB']);
    expect(second.project_id).toBe(b);
  });
});

describe('a change of a project', () => {
  it('changes no text that was on its way already', async () => {
    const ours = await line({ signature: { text: 'Old' } });
    const [channel] = ours.channels as [TestChannel];
    await putOff(channel);
    const post = await send(ours, { text: 'one' });
    await until('it was put off', async () => (await publications(post))[0].attempts[0]?.outcome === 'postponed');
    await change(ours.project, { signature: { text: 'New' }, filters: [{ mode: 'exclude', words: ['one'] }] });
    await inState(post, 'published');
    await inState(await send(ours, { text: 'two' }), 'published');
    expect(await gateway.wall(channel.chatId)).toEqual(['one\n\nOld', 'two\n\nNew']);
  });

  it('changes no later step of a post whose first is out', async () => {
    const ours = await line({ signature: { text: 'Old' } });
    const [channel] = ours.channels as [TestChannel];
    await putOff(channel);
    const media = [{ type: 'photo', url: host.serve('/photo.png', png(20, 20)) }];
    const text = `${'word '.repeat(300)}.`; // more than a caption holds
    const post = await send(ours, { text, media });
    await until('the photo is out', async () => (await publications(post))[0].message_ids.length === 1);
    await change(ours.project, { signature: { text: 'New' } });
    await inState(post, 'published');
    expect(await gateway.wall(channel.chatId)).toEqual(['', `${text}\n\nOld`]);
  });

  it('counts for what waited in the queue, and for what its owner sends again', async () => {
    const ours = await line({ signature: { text: 'Old' } });
    const [channel] = ours.channels as [TestChannel];
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 5 });
    const post = await send(ours, { text: 'one' });
    await change(ours.project, { signature: { text: 'New' } });
    const body = { ok: false, error_code: 400, description: 'Bad Request: chat not found' };
    await gateway.telegram.addFault({
      mode: 'answer',
      method: 'sendMessage',
      channel: channel.chatId,
      status: 400,
      body,
    });
    await gateway.manage('POST', `/channels/${channel.id}/resume`);
    const failed = await until('it has failed', async () => {
      const [one] = await publications(post);
      return one.state === 'failed' ? one : null;
    });
    await change(ours.project, { signature: { text: 'Newest' } });
    await gateway.manage('POST', `/publications/${failed.id}/resend`);
    await inState(post, 'published');
    expect(await gateway.wall(channel.chatId)).toEqual(['one\n\nNewest']);
  });
});

describe('a translation (D-28)', () => {
  const askedFor = async (text: string) => (await translator.asked()).filter((q) => q === text).length;

  it('is asked for once, for all channels and attempts of a post', async () => {
    const ours = await line({ translation: translation() }, 3);
    await putOff(ours.channels[1]!);
    await inState(await send(ours, { text: 'раз за всех' }), 'published');
    for (const { chatId } of ours.channels) expect(await gateway.wall(chatId)).toEqual(['раз·en за·en всех·en']);
    expect(await askedFor('раз за всех')).toBe(1);
  });

  it('that fails lets the text go as it came, with a warning, on every channel alike', async () => {
    const ours = await line({ translation: translation() }, 2);
    const [first, second] = ours.channels as [TestChannel, TestChannel];
    await translator.control.addFault({ mode: 'answer', status: 500, body: { error: 'out of memory' } });
    await gateway.manage('POST', `/channels/${second.id}/pause`, { minutes: 5 });
    const post = await send(ours, { text: 'мир' });
    await gateway.settle(first.chatId, 'мир');
    await gateway.manage('POST', `/channels/${second.id}/resume`); // the service is back by now
    const warning = { code: 'translation_failed', message: expect.stringContaining('500. It says: out of memory') };
    for (const { warnings } of await inState(post, 'published')) expect(warnings).toEqual([warning]);
    expect(await gateway.wall(second.chatId)).toEqual(['мир']);
    expect(await askedFor('мир')).toBe(1);
  });

  it('that fails makes the post wait where the project says so, and what comes after it as well', async () => {
    const ours = await line({ translation: translation({ on_failure: 'retry' }) });
    await translator.control.addFault({ mode: 'answer', status: 500, body: { error: 'later' }, times: null });
    const [one, two] = [await send(ours, { text: 'раз' }), await send(ours, { text: 'два' })];
    const waiting = await until('it waits', async () => {
      const [publication] = await publications(one);
      return publication.waiting_for?.rule === 'retry' ? publication : null;
    });
    expect(waiting.attempts[0]).toMatchObject({
      ...{ outcome: 'postponed' },
      error: { code: 'translation_failed', category: 'platform', source: 'gateway', platform_says: 'later' },
    });
    const { preview } = (await ours.endpoint.sandbox({ text: 'раз' })).body;
    expect(preview.telegram).toMatchObject({ requests: [], warnings: [{ code: 'translation_failed' }] });
    expect((await publications(two))[0].waiting_for).toMatchObject({ rule: 'earlier_publication' });
    await translator.control.clearFaults();
    await inState(two, 'published');
    const [done] = await inState(one, 'published');
    expect(done.warnings).toEqual([]);
    expect(await gateway.wall(ours.channels[0]!.chatId)).toEqual(['раз·en', 'два·en']);
  });

  it('that comes back blank has failed: no post loses its words, and the blank is not kept (D-22)', async () => {
    const media = [{ type: 'photo', url: host.serve('/blank.png', png(20, 20)) }];
    const blank = (more: object = {}) =>
      translator.control.addFault({ mode: 'answer', status: 200, body: { translatedText: ' ' }, ...more });
    const forgiving = await line({ translation: translation() });
    await blank();
    const [published] = await inState(await send(forgiving, { text: 'слова', media }), 'published');
    expect(published.warnings).toMatchObject([{ code: 'translation_failed' }]);
    expect(await gateway.wall(forgiving.channels[0]!.chatId)).toEqual(['слова']);

    const retrying = await line({ translation: translation({ on_failure: 'retry' }) });
    await blank({ times: null });
    const post = await send(retrying, { text: 'слова', media });
    await until('it waits', async () => (await publications(post))[0].waiting_for?.rule === 'retry');
    await translator.control.clearFaults();
    await inState(post, 'published');
    expect(await gateway.wall(retrying.channels[0]!.chatId)).toEqual(['слова·en']);
  });

  it('goes through once its owner has mended the project', async () => {
    await translator.control.ask('POST', 'keys', { keys: ['right'] });
    const keyed = (api_key: string) => ({ translation: translation({ on_failure: 'retry', api_key }) });
    const ours = await line(keyed('wrong'));
    const post = await send(ours, { text: 'ключ' });
    const refused = await until('it was refused', async () => (await publications(post))[0].attempts[0]?.error);
    expect(refused).toMatchObject({ category: 'credentials', platform_says: 'Invalid API key' });
    await change(ours.project, keyed('right'));
    await inState(post, 'published');
    expect(await gateway.wall(ours.channels[0]!.chatId)).toEqual(['ключ·en']);
    await translator.control.ask('POST', 'keys', { keys: null });
  });

  it('in the sandbox is asked for once for all networks, and nothing of it is kept', async () => {
    const ours = await line({ translation: translation() });
    const before = (await gateway.allEvents()).length;
    const { preview } = (await ours.endpoint.sandbox({ text: 'песочница' })).body;
    for (const network of ['telegram', 'vk', 'max']) expect(preview[network].text_after_trim).toBe('песочница·en');
    expect(await askedFor('песочница')).toBe(1);
    expect((await gateway.allEvents()).slice(before).filter(({ type }) => type.startsWith('Translation'))).toEqual([]);
  });
});
