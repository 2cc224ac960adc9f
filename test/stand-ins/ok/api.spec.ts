import { APPLICATION, TOKEN, startStandIn, uploadFiles } from './stand-in.js';

let ok: Awaited<ReturnType<typeof startStandIn>>;
beforeEach(async () => {
  ok = await startStandIn({ groups: [{ id: '70', title: 'Harbour' }] });
});
afterEach(() => ok.stop());

const topic = (media: readonly object[], more: object = {}) =>
  JSON.stringify({ media, onBehalfOfGroup: 'true', ...more });
const text = (words = 'Ahoy') => ({ type: 'text', text: words });
const post = (attachment = topic([text()]), more: Record<string, string> = {}) =>
  ok.call('mediatopic.post', { type: 'GROUP_THEME', gid: '70', attachment, ...more });
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const mp4 = Buffer.concat([Buffer.alloc(4), Buffer.from('ftypisom')]);

describe('mediatopic.post', () => {
  it('answers the bare id, and keeps the topic in the ledger', async () => {
    const id = await post();
    expect(id).toMatch(/^\d+$/);
    expect(await ok.control.ledger({ channel: '70' })).toMatchObject([
      { channel_title: 'Harbour', message_id: id, text: 'Ahoy', media: [] },
    ]);
  });

  it.each([
    ['another type', topic([text()]), { type: 'USER' }, 100],
    ['no group', topic([text()]), { gid: '' }, 100],
    ['what is no JSON', '{', {}, 100],
    ['no blocks', topic([]), {}, 100],
    ['an empty text', topic([text(' ')]), {}, 100],
    ['an unknown block', topic([{ type: 'poll' }]), {}, 100],
    ['a link of another scheme', topic([{ type: 'link', url: 'tg://x' }]), {}, 100],
    ['an unknown photo token', topic([{ type: 'photo', list: [{ id: 'x' }] }]), {}, 100],
    ['an unknown video', topic([{ type: 'movie', list: [{ id: '5' }] }]), {}, 100],
    ["what is not the group's own", topic([text()], { onBehalfOfGroup: 'false' }), {}, 10],
    ['a text too long', topic([text('x'.repeat(16_001))]), {}, 601],
  ])('refuses %s', async (_, attachment, more, code) => {
    expect(await post(attachment, more)).toMatchObject({ error_code: code });
    expect(await ok.control.ledger()).toEqual([]);
  });
});

describe('who calls', () => {
  it.each([
    ['a signature of something else', { sig: '0'.repeat(32) }, 104],
    ['no application', { application_key: '' }, 101],
    ['no token', { access_token: '' }, 103],
    ['an unknown method', { method: 'mediatopic.undo' }, 3],
  ])('is refused with %s', async (_, more, code) => {
    expect(await post(undefined, more)).toMatchObject({ error_code: code });
  });

  it.each([
    ['expired', 102],
    ['unknown', 103],
    ['no_rights', 10],
  ])('is refused with a token that is %s', async (state, code) => {
    await ok.control.ask('POST', 'tokens', { token: TOKEN, state });
    expect(await post()).toMatchObject({ error_code: code });
  });

  it("is looked at in form alone while the application's secret is not known", async () => {
    expect(await post(undefined, { application_key: 'OTHER', sig: '0'.repeat(32) })).toMatch(/^\d+$/);
    expect(await post(undefined, { application_key: 'OTHER', sig: 'X' })).toMatchObject({ error_code: 104 });
  });

  it('stands in the log of calls without its token', async () => {
    await post();
    const [call] = (await ok.control.calls()).items;
    expect(call).toMatchObject({ method: 'mediatopic.post', channel: '70', request: { access_token: '***' } });
    expect(JSON.stringify(call)).not.toContain(APPLICATION.application_secret);
  });
});

describe('uploads', () => {
  it('photos get a token each, which can be posted', async () => {
    const place = await ok.call('photosV2.getUploadUrl', { gid: '70', count: '2' });
    const answer = JSON.parse(await uploadFiles(place.upload_url, { pic1: png, pic2: png })) as {
      photos: Record<string, { token: string }>;
    };
    expect(Object.keys(answer.photos)).toEqual(place.photo_ids);
    const list = Object.values(answer.photos).map(({ token }) => ({ id: token }));
    await post(topic([text(), { type: 'photo', list }]));
    expect((await ok.control.ledger())[0]?.media).toMatchObject([{ type: 'photo' }, { type: 'photo' }]);
    expect(await uploadFiles(place.upload_url, { pic1: png })).toContain('expired');
    const bare = place.photo_ids.map((id: string) => ({ id }));
    expect(await post(topic([{ type: 'photo', list: bare }]))).toMatchObject({ error_code: 100 });
  });

  it('what is no photo is refused', async () => {
    const { upload_url } = await ok.call('photosV2.getUploadUrl', { gid: '70', count: '1' });
    expect(await uploadFiles(upload_url, { pic1: Buffer.from('words') })).toContain('"error_code":500');
    expect(await uploadFiles(upload_url, { photo: png })).toContain('"error_code":100');
  });

  const video = async (more: Record<string, string> = {}) => {
    const sizes = { file_name: 'storm.mp4', file_size: String(mp4.length) };
    return (await ok.call('video.getUploadUrl', { ...sizes, ...more })) as { upload_url: string; video_id: number };
  };

  it('a video can be posted once it is released, and shows nowhere before', async () => {
    const { upload_url, video_id } = await video();
    const movie = topic([{ type: 'movie', list: [{ id: video_id }] }]);
    expect(await ok.call('video.update', { vid: String(video_id) })).toMatchObject({ error_code: 100 });
    expect(await uploadFiles(upload_url, { data: mp4.subarray(1) })).toBe('<retval>0</retval>');
    expect(await uploadFiles(upload_url, { data: mp4 })).toBe('<retval>1</retval>');
    expect(await post(movie)).toMatchObject({ error_code: 100 });
    expect(await ok.call('video.update', { vid: String(video_id) })).toEqual({});
    expect(await ok.control.ledger()).toEqual([]);
    await post(movie);
    expect((await ok.control.ledger())[0]?.media).toMatchObject([{ type: 'video', name: 'storm.mp4' }]);
  });

  it('a video for a group publishes itself', async () => {
    const { upload_url, video_id } = await video({ gid: '70' });
    await uploadFiles(upload_url, { data: mp4 });
    await ok.call('video.update', { vid: String(video_id) });
    expect(await ok.control.ledger({ channel: '70' })).toHaveLength(1);
  });
});

describe('after a stop', () => {
  it('topics go on being numbered, and uploads can be posted', async () => {
    const first = await post();
    const { upload_url } = await ok.call('photosV2.getUploadUrl', { gid: '70', count: '1' });
    const { photos } = JSON.parse(await uploadFiles(upload_url, { pic1: png })) as {
      photos: Record<string, { token: string }>;
    };
    const attachment = topic([{ type: 'photo', list: Object.values(photos).map(({ token }) => ({ id: token })) }]);
    await ok.end();
    const again = await startStandIn({ ledgerFile: ok.ledgerFile });
    const second = await again.call('mediatopic.post', { type: 'GROUP_THEME', gid: '70', attachment });
    expect(Number(second)).toBe(Number(first) + 1);
    expect(await again.control.ledger()).toHaveLength(2);
    await again.stop();
    ok = await startStandIn();
  });
});
