import { png } from '../../media/make-images.js';
import { CHAT, startStandIn, TOKEN } from './stand-in.js';

let max: Awaited<ReturnType<typeof startStandIn>>;
beforeEach(async () => {
  max = await startStandIn();
});
afterEach(() => max.stop());

const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex');
const MP4 = Buffer.from('000000186674797069736f6d0000', 'hex');
const MP3 = Buffer.from('4944330400000000', 'hex');

describe('authentication', () => {
  it.each([
    ['without a token', '/me', { authorization: '' }],
    ['with the prefix Bearer', '/me', { authorization: `Bearer ${TOKEN}` }],
    ['with the token in the URL', `/me?access_token=${TOKEN}`, {}],
  ])('a call %s: 401', async (_, path, headers) => {
    expect(await max.call('GET', path, undefined, headers)).toMatchObject({
      status: 401,
      body: { code: 'verify.token' },
    });
  });

  it('accepts a token in the header until it is revoked', async () => {
    expect(await max.call('GET', '/me')).toMatchObject({ status: 200, body: { is_bot: true } });
    await max.control.request('POST', 'tokens', { token: TOKEN });
    expect((await max.call('GET', '/me')).status).toBe(401);
  });
});

describe('POST /messages', () => {
  it('publishes a formatted message with buttons in the channel and returns it', async () => {
    const buttons = [[{ type: 'link', text: 'Tides', url: 'https://example.com/?a=1&b=2' }]];
    const { status, body } = await max.post({
      text: '<b>Ahoy <i>all</i></b> &lt;3 <a href="https://example.com/?a=1&amp;b=2">here</a>',
      format: 'html',
      attachments: [{ type: 'inline_keyboard', payload: { buttons } }],
      notify: true,
    });
    expect(status).toBe(200);
    expect(body.message).toMatchObject({
      recipient: { chat_id: Number(CHAT) },
      body: { seq: 1, text: 'Ahoy all <3 here' },
    });
    const [entry] = await max.control.readLedger();
    expect(entry).toMatchObject({
      message_id: body.message.body.mid,
      entities: [
        { type: 'bold', offset: 0, length: 8 },
        { type: 'italic', offset: 5, length: 3 },
        { type: 'text_link', offset: 12, length: 4, url: 'https://example.com/?a=1&b=2' },
      ],
      buttons: [[{ text: 'Tides', url: 'https://example.com/?a=1&b=2' }]],
    });
  });

  const links = (count: number) =>
    Array.from({ length: count }, () => ({ type: 'link', text: 'x', url: 'https://e.io/' }));
  const keyboard = (rows: unknown) => ({
    text: 'x',
    attachments: [{ type: 'inline_keyboard', payload: { buttons: rows } }],
  });
  const image = { type: 'image', payload: { url: 'https://example.com/a.jpg' } };
  it.each([
    ['an empty object', {}],
    ['an empty text', { text: ' ' }],
    ['a text of 4001 units', { text: 'x'.repeat(4_001) }],
    ['an unknown tag', { text: '<blockquote>x</blockquote>', format: 'html' }],
    ['tags that overlap', { text: '<b><i>x</b></i>', format: 'html' }],
    ['an unclosed tag', { text: '<b>x', format: 'html' }],
    ['a bare ampersand', { text: 'a & b', format: 'html' }],
    ['a link with an invalid URL', { text: '<a href="nowhere">x</a>', format: 'html' }],
    ['an unknown format', { text: 'x', format: 'bbcode' }],
    ['notify: false', { text: 'x', notify: false }],
    ['an unknown field', { text: 'x', markup: [] }],
    ['four links in a row', keyboard([links(4)])],
    ['31 rows', keyboard(Array.from({ length: 31 }, () => links(1)))],
    ['an empty row', keyboard([[]])],
    [
      'a button with a text of 129 characters',
      keyboard([[{ type: 'link', text: 'x'.repeat(129), url: 'https://e.io/' }]]),
    ],
    ['a button with a tg: link', keyboard([[{ type: 'link', text: 'x', url: 'tg://resolve?domain=x' }]])],
    ['13 attachments', { attachments: Array.from({ length: 13 }, () => image) }],
    ['an unknown token', { attachments: [{ type: 'image', payload: { token: 'made-up' } }] }],
    ['a video by URL', { attachments: [{ type: 'video', payload: { url: 'https://example.com/a.mp4' } }] }],
  ])('rejects %s', async (_, body) => {
    expect(await max.post(body)).toMatchObject({ status: 400, body: { code: 'proto.payload' } });
    expect(await max.control.readLedger()).toEqual([]);
  });

  it.each([
    ['a text of 4000 units', { text: 'x'.repeat(4_000) }],
    ['30 rows of three', keyboard(Array.from({ length: 30 }, () => links(3)))],
    ['12 attachments', { attachments: Array.from({ length: 12 }, () => image) }],
  ])('accepts %s', async (_, body) => expect((await max.post(body)).status).toBe(200));

  it.each([
    ['missing', 404, 'chat.not.found'],
    ['denied', 403, 'chat.denied'],
  ])('rejects a message to a chat that is %s', async (state, status, code) => {
    await max.control.request('POST', 'chats', { chat_id: CHAT, state });
    expect(await max.post({ text: 'x' })).toMatchObject({ status, body: { code } });
  });

  it('answers 429 with Retry-After if the rate limit is exceeded', async () => {
    await max.control.request('POST', 'rate-limit', { chat_per_second: 1 });
    // The stand-in's clock stands still: on a busy machine, a second may pass between the two messages.
    const [realNow, now] = [Date.now, Date.now()];
    Date.now = () => now;
    const post = async () => {
      await max.post({ text: 'x' });
      return max.post({ text: 'y' });
    };
    const rejected = await post().finally(() => (Date.now = realNow));
    expect(rejected).toMatchObject({ status: 429, body: { code: 'too.many.requests' } });
    expect(rejected.headers.get('retry-after')).toBe('1');
  });
});

describe('uploads', () => {
  it.each([
    ['image', JPEG, 'photos', /^\{"photos":\{"[0-9a-f]+":\{"token":"[^"]+"\}\}\}$/, false],
    ['image', JPEG, 'token', /^\{"token":"[^"]+"\}$/, false],
    ['video', MP4, 'photos', /^<retval>1<\/retval>$/, true],
    ['audio', MP3, 'photos', /^<retval>1<\/retval>$/, true],
  ] as const)(
    '%s: an upload address accepts one file, which can then be posted (%#)',
    async (type, bytes, form, answer, hasEarly) => {
      await max.control.request('POST', 'uploads', { image: form });
      const uploaded = await max.upload(type, bytes, 'a.bin');
      expect(uploaded.text).toMatch(answer);
      expect(uploaded.early !== undefined).toBe(hasEarly);
      expect((await max.post({ attachments: [{ type, payload: { token: uploaded.token } }] })).status).toBe(200);
      const [entry] = await max.control.readLedger();
      expect(entry?.media).toMatchObject([{ type: type === 'image' ? 'photo' : type, bytes: bytes.length }]);
    },
  );

  it('restores its uploads after a restart', async () => {
    const { token } = await max.upload('image', JPEG, 'a.jpg');
    const again = await startStandIn({ ledgerFile: max.ledgerFile });
    expect((await again.post({ attachments: [{ type: 'image', payload: { token } }] })).status).toBe(200);
    await again.stop();
  });

  it('rejects an audio with other attachments', async () => {
    const { token } = await max.upload('audio', MP3, 'a.mp3');
    const image = { type: 'image', payload: { url: 'https://example.com/a.jpg' } };
    const attachments = [{ type: 'audio', payload: { token } }, image];
    expect(await max.post({ attachments })).toMatchObject({ status: 400, body: { code: 'proto.payload' } });
  });

  it('rejects a video attachment whose file is not a video', async () => {
    const { token } = await max.upload('video', JPEG, 'a.mp4');
    expect(await max.post({ attachments: [{ type: 'video', payload: { token } }] })).toMatchObject({
      status: 400,
      body: { code: 'proto.payload', message: 'errors.process.attachment.video.not.supported' },
    });
  });

  it('rejects an image with a side over 7,680 pixels', async () => {
    expect((await max.upload('image', png(7_680, 10), 'a.png')).status).toBe(200);
    const rejected = await max.upload('image', png(10, 7_681), 'a.png');
    expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining('pixels a side')]);
  });

  it('answers attachment.not.ready as often as a control sets', async () => {
    await max.control.request('POST', 'not-ready', { times: 2 });
    const { token } = await max.upload('video', MP4, 'a.mp4');
    const post = () => max.post({ attachments: [{ type: 'video', payload: { token } }] });
    expect(await post()).toMatchObject({ status: 400, body: { code: 'attachment.not.ready' } });
    expect((await post()).status).toBe(400);
    expect((await post()).status).toBe(200);
  });
});

describe('GET /messages', () => {
  it('lists the newest first, also after a restart', async () => {
    for (const text of ['one', 'two', 'three']) await max.post({ text });
    await max.post({ text: 'elsewhere' }, '-5');
    const texts = async (from = max) =>
      (await from.call('GET', `/messages?chat_id=${CHAT}&count=2`)).body.messages.map(
        (message: { body: { text: string } }) => message.body.text,
      );
    expect(await texts()).toEqual(['three', 'two']);
    const again = await startStandIn({ ledgerFile: max.ledgerFile });
    expect(await texts(again)).toEqual(['three', 'two']);
    expect((await again.post({ text: 'four' })).body.message.body.seq).toBe(4);
    await again.stop();
  });
});

describe('GET /wall', () => {
  it("shows posts in MAX's style", async () => {
    const { token } = await max.upload('image', JPEG, 'a.jpg');
    await max.post({ text: '<b>Ahoy</b>', format: 'html', attachments: [{ type: 'image', payload: { token } }] });
    const html = await (await fetch(`${max.url}/wall`)).text();
    expect(html).toContain('data-platform="max"');
    expect(html).toContain('<b>Ahoy</b>');
    expect(html).toMatch(/<img src="\/wall\/media\/[0-9a-f]{32}\.jpg"/);
  });
});
