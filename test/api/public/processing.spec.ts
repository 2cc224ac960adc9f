import { json } from 'node:stream/consumers';
import { until } from '../../e2e/until.js';
import { png } from '../../media/make-images.js';
import { TestHost } from '../../media/test-host.js';
import { MovableClock } from '../../sagas/publish-due-posts/publishing-harness.js';
import { startTranslator, type TestTranslator } from '../../stand-ins/libretranslate/stand-in.js';
import { type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

/** The time of the gateway, which tests forward instead of waiting for a retry. */
const clock = new MovableClock();
let gateway: TestGateway;
let translator: TestTranslator;
let host: TestHost;
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' }, clock, { clock });
  translator = await startTranslator();
  host = await TestHost.start();
  owner = await gateway.createOwner();
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

/** A project with its own channels, and an endpoint bound to it. */
interface Setup {
  readonly project: string;
  readonly channels: readonly TestChannel[];
  readonly endpoint: TestEndpoint;
}
const createProject = async (channels: readonly TestChannel[], processing: object): Promise<string> => {
  const channel_ids = channels.map(({ id }) => id);
  return (await gateway.manage('POST', '/projects', { owner_id: owner, name: 'Project', channel_ids, processing })).id;
};
const setUp = async (processing: object, count = 1): Promise<Setup> => {
  const channels: TestChannel[] = [];
  for (let i = 0; i < count; i++) channels.push(await gateway.createChannel(owner));
  const id = await createProject(channels, processing);
  return { project: id, channels, endpoint: await gateway.createEndpoint(owner, [id]) };
};
const changeProcessing = (id: string, processing: object) => gateway.manage('PATCH', `/projects/${id}`, { processing });

const sendPost = async ({ endpoint }: Pick<Setup, 'endpoint'>, payload: object): Promise<string> => {
  const { status, body } = await endpoint.post('', payload);
  expect(status).toBe(200);
  return body.id;
};
const readPublications = async (post: string) => (await gateway.manage('GET', `/posts/${post}`)).publications;
/** Waits until all publications of a post are in a state; returns them. */
const waitForState = (post: string, state: string) =>
  until(`${post} is ${state}`, async () => {
    const all: { state: string }[] = await readPublications(post);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as management-api.md has them
    return all.every((one) => one.state === state) ? (all as any[]) : null;
  });
const readChat = ({ chatId }: TestChannel) => gateway.telegram.readLedger({ channel: chatId });
/** Time by which {@link delayFirstCall} delays a call, in s. */
const DELAY = 600;
/** Delays the first message of a publication to Telegram until the clock is forwarded. */
const delayFirstCall = ({ chatId }: TestChannel) =>
  gateway.telegram.addFault({
    mode: 'answer',
    method: 'sendMessage',
    channel: chatId,
    status: 429,
    body: { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: DELAY } },
  });

const translation = (more: object = {}) => ({
  provider: 'libretranslate',
  url: translator.url,
  source: 'ru',
  target: 'en',
  on_failure: 'publish_original',
  ...more,
});

describe('the processing of posts by a project (D-28)', () => {
  it('takes place at publication, and the sandbox shows its exact result (D-38)', async () => {
    const setup = await setUp({
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
    const { telegram, vk } = (await setup.endpoint.sandbox(payload)).body.preview;
    await sendPost(setup, payload);
    const shown = '🎈 color·en и·en @acme\n\nAcme 🎈 news';
    await gateway.waitForText(setup.channels[0]!.chatId, shown);
    const [entry] = await readChat(setup.channels[0]!);
    expect(entry!.entities.map(({ type, offset, length }) => [type, offset, length])).toEqual([
      ['blockquote', 0, 22],
      ['bold', 3, 8],
      ['code', 17, 5],
      ['text_link', 24, 4],
    ]);
    const { items } = await gateway.telegram.listCalls({ method: 'sendMessage' });
    const called = { step: 'message', method: 'sendMessage', request: items.at(-1)!.request };
    expect(telegram.requests).toEqual([{ ...called, target_id: setup.channels[0]!.id }]);
    expect(telegram).toMatchObject({ text_after_trim: shown, trimmed_chars: 0, warnings: [] });
    expect(vk.text_after_trim).toBe('🎈 color·en и·en @\u200bacme\n\nAcme (https://acme.example/) 🎈 news');
  });

  it('excludes a post from a target by a filter, gives the reason, and delays no other post', async () => {
    const setup = await setUp({ filters: [{ mode: 'exclude', words: ['casino'], platforms: ['telegram'] }] });
    const [channel] = setup.channels as [TestChannel];
    const open = await createProject([await gateway.createChannel(owner), channel], {});
    const both = await gateway.createEndpoint(owner, [setup.project, open]);
    const reason = {
      code: 'filtered',
      message: expect.stringContaining('Filter 1 (exclude) of the project matches the word "casino"'),
    };

    const kept = await sendPost({ endpoint: both }, { text: 'A CASINO' });
    const next = await sendPost({ endpoint: both }, { text: 'A cat' });
    await waitForState(next, 'published');
    const states = (await readPublications(kept)).map(
      ({ project_id, state, warnings, waiting_for, attempts }: never) => ({
        project_id,
        state,
        warnings,
        waiting_for,
        attempts,
      }),
    );
    expect(states).toContainEqual({
      project_id: setup.project,
      state: 'filtered',
      warnings: [reason],
      waiting_for: null,
      attempts: [],
    });
    expect(states).toContainEqual(expect.objectContaining({ project_id: open, state: 'published', warnings: [] }));
    expect(await gateway.readWall(channel.chatId)).toEqual(['A cat']);

    const { preview, would_create_post } = (await setup.endpoint.sandbox({ text: 'A CASINO' })).body;
    expect(would_create_post).toBe(true);
    const can = { withdraw: true, withdraw_until: null, edit: [], text: null };
    expect(preview.telegram).toEqual({ text_after_trim: '', trimmed_chars: 0, requests: [], warnings: [reason], can });
    expect(preview.vk).toMatchObject({ text_after_trim: 'A CASINO', warnings: [{ code: 'no_target' }] });
  });

  it('filters a post that consists of a footer alone, with that reason (D-22)', async () => {
    const setup = await setUp({ footer: { marker: 'Ad' }, signature: { text: 'Acme' } });
    const [publication] = await waitForState(await sendPost(setup, { text: 'Ad: buy' }), 'filtered');
    expect(publication.warnings).toEqual([{ code: 'nothing_to_send', message: expect.any(String) }]);
  });

  it('is that of the endpoint’s first project if a channel is in two of them (D-27)', async () => {
    const channel = await gateway.createChannel(owner);
    const [a, b] = [
      await createProject([channel], { signature: { text: 'A' } }),
      await createProject([channel], { signature: { text: 'B' } }),
    ];
    const ab = await gateway.createEndpoint(owner, [a, b]);
    const ba = await gateway.createEndpoint(owner, [b, a]);
    expect((await ba.sandbox({ text: 'x' })).body.preview.telegram.text_after_trim).toBe('x\n\nB');
    await waitForState(await sendPost({ endpoint: ab }, { text: 'one' }), 'published');
    const [second] = await waitForState(await sendPost({ endpoint: ba }, { text: 'two' }), 'published');
    expect(await gateway.readWall(channel.chatId)).toEqual(['one\n\nA', 'two\n\nB']);
    expect(second.project_id).toBe(b);
  });
});

describe('a change of a project', () => {
  it('does not change a text whose publication has started', async () => {
    const setup = await setUp({ signature: { text: 'Old' } });
    const [channel] = setup.channels as [TestChannel];
    await delayFirstCall(channel);
    const post = await sendPost(setup, { text: 'one' });
    await until('it was postponed', async () => (await readPublications(post))[0].attempts[0]?.outcome === 'postponed');
    await changeProcessing(setup.project, {
      signature: { text: 'New' },
      filters: [{ mode: 'exclude', words: ['one'] }],
    });
    clock.forward(DELAY * 1_000);
    await waitForState(post, 'published');
    await waitForState(await sendPost(setup, { text: 'two' }), 'published');
    expect(await gateway.readWall(channel.chatId)).toEqual(['one\n\nOld', 'two\n\nNew']);
  });

  it('does not change the later steps of a publication whose first is completed', async () => {
    const setup = await setUp({ signature: { text: 'Old' } });
    const [channel] = setup.channels as [TestChannel];
    await delayFirstCall(channel);
    const media = [{ type: 'photo', url: host.serve('/photo.png', png(20, 20)) }];
    const text = `${'word '.repeat(300)}.`; // more than a caption holds
    const post = await sendPost(setup, { text, media });
    await until('only the photo is published', async () => {
      const [{ message_ids, attempts }] = await readPublications(post);
      return message_ids.length === 1 && attempts[0]?.outcome === 'postponed';
    });
    await changeProcessing(setup.project, { signature: { text: 'New' } });
    clock.forward(DELAY * 1_000);
    await waitForState(post, 'published');
    expect(await gateway.readWall(channel.chatId)).toEqual(['', `${text}\n\nOld`]);
  });

  it('applies to posts that waited in the queue, and to posts that the owner resends', async () => {
    const setup = await setUp({ signature: { text: 'Old' } });
    const [channel] = setup.channels as [TestChannel];
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 5 });
    const post = await sendPost(setup, { text: 'one' });
    await changeProcessing(setup.project, { signature: { text: 'New' } });
    const body = { ok: false, error_code: 400, description: 'Bad Request: message is not acceptable' };
    await gateway.telegram.addFault({
      mode: 'answer',
      method: 'sendMessage',
      channel: channel.chatId,
      status: 400,
      body,
    });
    await gateway.manage('POST', `/channels/${channel.id}/resume`);
    const failed = await until('it has failed', async () => {
      const [one] = await readPublications(post);
      return one.state === 'failed' ? one : null;
    });
    await changeProcessing(setup.project, { signature: { text: 'Newest' } });
    await gateway.manage('POST', `/publications/${failed.id}/resend`);
    await waitForState(post, 'published');
    expect(await gateway.readWall(channel.chatId)).toEqual(['one\n\nNewest']);
  });
});

describe('a translation (D-28)', () => {
  /** Serves the translator at another address, where it answers nothing until `open` is called. */
  const holdTranslations = (): { url: string; open: () => void } => {
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    host.on('/held/translate', (request, response) => {
      const answer = async (): Promise<void> => {
        const fields = (await json(request)) as object;
        await opened;
        const { body } = await translator.translate(fields);
        response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
      };
      void answer();
    });
    return { url: `${host.origin}/held`, open };
  };
  const countTranslations = async (text: string) => (await translator.asked()).filter((q) => q === text).length;

  it('is requested once for all channels and attempts of a post', async () => {
    const setup = await setUp({ translation: translation() }, 3);
    await delayFirstCall(setup.channels[1]!);
    const post = await sendPost(setup, { text: 'раз за всех' });
    await until('one was postponed', async () =>
      (await readPublications(post)).some(
        ({ attempts }: { attempts: { outcome: string }[] }) => attempts[0]?.outcome === 'postponed',
      ),
    );
    clock.forward(DELAY * 1_000);
    await waitForState(post, 'published');
    for (const { chatId } of setup.channels) expect(await gateway.readWall(chatId)).toEqual(['раз·en за·en всех·en']);
    expect(await countTranslations('раз за всех')).toBe(1);
  });

  it('that fails leaves the text as it was sent, with a warning, on every channel', async () => {
    const setup = await setUp({ translation: translation() }, 2);
    const [first, second] = setup.channels as [TestChannel, TestChannel];
    await translator.control.addFault({ mode: 'answer', status: 500, body: { error: 'out of memory' } });
    await gateway.manage('POST', `/channels/${second.id}/pause`, { minutes: 5 });
    const post = await sendPost(setup, { text: 'мир' });
    await gateway.waitForText(first.chatId, 'мир');
    await gateway.manage('POST', `/channels/${second.id}/resume`); // the service is available again
    const warning = { code: 'translation_failed', message: expect.stringContaining('500. It says: out of memory') };
    for (const { warnings } of await waitForState(post, 'published')) expect(warnings).toEqual([warning]);
    expect(await gateway.readWall(second.chatId)).toEqual(['мир']);
    expect(await countTranslations('мир')).toBe(1);
  });

  it('that fails makes the post wait if the project says so, and the posts after it as well', async () => {
    const setup = await setUp({ translation: translation({ on_failure: 'retry' }) });
    await translator.control.addFault({ mode: 'answer', status: 500, body: { error: 'later' }, times: null });
    const [one, two] = [await sendPost(setup, { text: 'раз' }), await sendPost(setup, { text: 'два' })];
    const waiting = await until('it waits', async () => {
      const [publication] = await readPublications(one);
      // Two projections show the wait and the attempt: one may be ahead of the other.
      return publication.waiting_for?.rule === 'retry' && publication.attempts[0]?.outcome ? publication : null;
    });
    expect(waiting.attempts[0]).toMatchObject({
      outcome: 'postponed',
      error: { code: 'translation_failed', category: 'platform', source: 'gateway', platform_says: 'later' },
    });
    const { preview } = (await setup.endpoint.sandbox({ text: 'раз' })).body;
    expect(preview.telegram).toMatchObject({ requests: [], warnings: [{ code: 'translation_failed' }] });
    expect((await readPublications(two))[0].waiting_for).toMatchObject({ rule: 'earlier_publication' });
    await translator.control.clearFaults();
    await waitForState(two, 'published');
    const [done] = await waitForState(one, 'published');
    expect(done.warnings).toEqual([]);
    expect(await gateway.readWall(setup.channels[0]!.chatId)).toEqual(['раз·en', 'два·en']);
  });

  it('keeps no post from the pause of its channel that begins in the meantime (D-21)', async () => {
    const { url, open } = holdTranslations();
    const setup = await setUp({ translation: translation({ url }) });
    const [channel] = setup.channels as [TestChannel];
    const post = await sendPost(setup, { text: 'не сейчас' });
    await until('the translation is requested', () => host.requests.some(({ path }) => path === '/held/translate'));
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 60 });
    open();
    await until('it is translated', async () =>
      (await gateway.readAllEvents()).some(
        ({ type, data }) => type === 'TranslationStored' && (data as { readonly postId: string }).postId === post,
      ),
    );
    // Without the pause, this post would not be published before the translated one has started.
    const other = await setUp({});
    await waitForState(await sendPost(other, { text: 'другой канал' }), 'published');
    await gateway.manage('POST', `/channels/${channel.id}/resume`);
    const [{ id }] = await waitForState(post, 'published');
    const [started] = await gateway.readEvents(`publication-${id}`);
    const resumed = (await gateway.readEvents(`channelPause-${channel.id}`)).find(
      ({ type }) => type === 'ChannelResumed',
    );
    expect(started!.position).toBeGreaterThan(resumed!.position);
  });

  it('with a blank result has failed: no post loses its text, and the blank is not stored (D-22)', async () => {
    const media = [{ type: 'photo', url: host.serve('/blank.png', png(20, 20)) }];
    const blank = (more: object = {}) =>
      translator.control.addFault({ mode: 'answer', status: 200, body: { translatedText: ' ' }, ...more });
    const forgiving = await setUp({ translation: translation() });
    await blank();
    const [published] = await waitForState(await sendPost(forgiving, { text: 'слова', media }), 'published');
    expect(published.warnings).toMatchObject([{ code: 'translation_failed' }]);
    expect(await gateway.readWall(forgiving.channels[0]!.chatId)).toEqual(['слова']);

    const retrying = await setUp({ translation: translation({ on_failure: 'retry' }) });
    await blank({ times: null });
    const post = await sendPost(retrying, { text: 'слова', media });
    await until('it waits', async () => (await readPublications(post))[0].waiting_for?.rule === 'retry');
    await translator.control.clearFaults();
    await waitForState(post, 'published');
    expect(await gateway.readWall(retrying.channels[0]!.chatId)).toEqual(['слова·en']);
  });

  it('succeeds after its owner has corrected the project', async () => {
    await translator.control.request('POST', 'keys', { keys: ['right'] });
    const keyed = (api_key: string) => ({ translation: translation({ on_failure: 'retry', api_key }) });
    const setup = await setUp(keyed('wrong'));
    const post = await sendPost(setup, { text: 'ключ' });
    const rejection = await until('it was rejected', async () => (await readPublications(post))[0].attempts[0]?.error);
    expect(rejection).toMatchObject({ category: 'credentials', platform_says: 'Invalid API key' });
    await changeProcessing(setup.project, keyed('right'));
    await waitForState(post, 'published');
    expect(await gateway.readWall(setup.channels[0]!.chatId)).toEqual(['ключ·en']);
    await translator.control.request('POST', 'keys', { keys: null });
  });

  it('in the sandbox is requested once for all networks, and is not stored', async () => {
    const setup = await setUp({ translation: translation() });
    const before = (await gateway.readAllEvents()).length;
    const { preview } = (await setup.endpoint.sandbox({ text: 'песочница' })).body;
    for (const network of ['telegram', 'vk', 'max']) expect(preview[network].text_after_trim).toBe('песочница·en');
    expect(await countTranslations('песочница')).toBe(1);
    expect((await gateway.readAllEvents()).slice(before).filter(({ type }) => type.startsWith('Translation'))).toEqual(
      [],
    );
  });
});
