import { APPLICATION, startStandIn, TOKEN, uploadFiles } from './stand-in.js';

let ok: Awaited<ReturnType<typeof startStandIn>>;
beforeEach(async () => {
  ok = await startStandIn({ groups: [{ id: '70', title: 'Harbour' }] });
});
afterEach(() => ok.stop());

const topic = (media: readonly object[], more: object = {}) =>
  JSON.stringify({ media, onBehalfOfGroup: 'true', ...more });
const text = (content = 'Ahoy') => ({ type: 'text', text: content });
const post = (attachment = topic([text()]), more: Record<string, string> = {}) =>
  ok.call('mediatopic.post', { type: 'GROUP_THEME', gid: '70', attachment, ...more });
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const mp4 = Buffer.concat([Buffer.alloc(4), Buffer.from('ftypisom')]);

describe('mediatopic.post', () => {
  it('answers with the bare id and records the topic in the ledger', async () => {
    const id = await post();
    expect(id).toMatch(/^\d+$/);
    expect(await ok.control.readLedger({ channel: '70' })).toMatchObject([
      { channel_title: 'Harbour', message_id: id, text: 'Ahoy', media: [] },
    ]);
  });

  it.each([
    ['another type', topic([text()]), { type: 'USER' }, 100],
    ['no group', topic([text()]), { gid: '' }, 100],
    ['an attachment that is not JSON', '{', {}, 100],
    ['no blocks', topic([]), {}, 100],
    ['an empty text', topic([text(' ')]), {}, 100],
    ['an unknown block', topic([{ type: 'poll' }]), {}, 100],
    ['a link of another scheme', topic([{ type: 'link', url: 'tg://x' }]), {}, 100],
    ['an unknown photo token', topic([{ type: 'photo', list: [{ id: 'x' }] }]), {}, 100],
    ['an unknown video', topic([{ type: 'movie', list: [{ id: '5' }] }]), {}, 100],
    ['a topic that is not on behalf of the group', topic([text()], { onBehalfOfGroup: 'false' }), {}, 10],
    ['a text that is too long', topic([text('x'.repeat(16_001))]), {}, 601],
  ])('rejects %s', async (_, attachment, more, code) => {
    expect(await post(attachment, more)).toMatchObject({ error_code: code });
    expect(await ok.control.readLedger()).toEqual([]);
  });
});

describe('authentication', () => {
  it.each([
    ['a signature of other parameters', { sig: '0'.repeat(32) }, 104],
    ['no application', { application_key: '' }, 101],
    ['no token', { access_token: '' }, 103],
    ['an unknown method', { method: 'mediatopic.undo' }, 3],
  ])('rejects a call with %s', async (_, more, code) => {
    expect(await post(undefined, more)).toMatchObject({ error_code: code });
  });

  it.each([
    ['expired', 102],
    ['unknown', 103],
    ['no_rights', 10],
  ])('rejects a token in the state %s', async (state, code) => {
    await ok.control.request('POST', 'tokens', { token: TOKEN, state });
    expect(await post()).toMatchObject({ error_code: code });
  });

  it("checks only the form of a signature if the application's secret is unknown", async () => {
    expect(await post(undefined, { application_key: 'OTHER', sig: '0'.repeat(32) })).toMatch(/^\d+$/);
    expect(await post(undefined, { application_key: 'OTHER', sig: 'X' })).toMatchObject({ error_code: 104 });
  });

  it('logs a call without its token', async () => {
    await post();
    const [call] = (await ok.control.listCalls()).items;
    expect(call).toMatchObject({ method: 'mediatopic.post', channel: '70', request: { access_token: '***' } });
    expect(JSON.stringify(call)).not.toContain(APPLICATION.application_secret);
  });
});

describe('uploads', () => {
  it('returns a token for each photo, which can then be posted', async () => {
    const address = await ok.call('photosV2.getUploadUrl', { gid: '70', count: '2' });
    const answer = JSON.parse(await uploadFiles(address.upload_url, { pic1: png, pic2: png })) as {
      photos: Record<string, { token: string }>;
    };
    // The keys are the photos' ids or other names.
    expect(Object.keys(answer.photos)).toEqual([address.photo_ids[0], 'pic1']);
    const list = Object.values(answer.photos).map(({ token }) => ({ id: token }));
    await post(topic([text(), { type: 'photo', list }]));
    expect((await ok.control.readLedger())[0]?.media).toMatchObject([{ type: 'photo' }, { type: 'photo' }]);
    expect(await uploadFiles(address.upload_url, { pic1: png })).toContain('expired');
    const bare = address.photo_ids.map((id: string) => ({ id }));
    expect(await post(topic([{ type: 'photo', list: bare }]))).toMatchObject({ error_code: 100 });
  });

  it('rejects a file that is not a photo', async () => {
    const { upload_url } = await ok.call('photosV2.getUploadUrl', { gid: '70', count: '1' });
    expect(await uploadFiles(upload_url, { pic1: Buffer.from('words') })).toContain('"error_code":503');
    expect(await uploadFiles(upload_url, { photo: png })).toContain('"error_code":505');
  });

  const video = async (more: Record<string, string> = {}) => {
    const sizes = { file_name: 'storm.mp4', file_size: String(mp4.length) };
    return (await ok.call('video.getUploadUrl', { ...sizes, ...more })) as { upload_url: string; video_id: number };
  };

  it('allows a video to be posted once it is released, and shows it nowhere before', async () => {
    const { upload_url, video_id } = await video();
    const movie = topic([{ type: 'movie', list: [{ id: video_id }] }]);
    expect(await ok.call('video.update', { vid: String(video_id) })).toMatchObject({ error_code: 100 });
    expect(await uploadFiles(upload_url, { data: mp4.subarray(1) })).toBe('<retval>0</retval>');
    expect(await uploadFiles(upload_url, { data: mp4 })).toBe('<retval>1</retval>');
    expect(await post(movie)).toMatchObject({ error_code: 100 });
    expect(await ok.call('video.update', { vid: String(video_id) })).toBe('');
    expect(await ok.control.readLedger()).toEqual([]);
    await post(movie);
    expect((await ok.control.readLedger())[0]?.media).toMatchObject([{ type: 'video', name: 'storm.mp4' }]);
  });

  it('publishes a video for a group when it is released', async () => {
    const { upload_url, video_id } = await video({ gid: '70' });
    await uploadFiles(upload_url, { data: mp4 });
    await ok.call('video.update', { vid: String(video_id) });
    expect(await ok.control.readLedger({ channel: '70' })).toHaveLength(1);
  });
});

describe('a restart', () => {
  it('continues the numbering of topics and keeps uploads', async () => {
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
    expect(await again.control.readLedger()).toHaveLength(2);
    await again.stop();
    ok = await startStandIn();
  });
});
