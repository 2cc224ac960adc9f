import { png as blank } from '../../media/make-images.js';
import { callVk, COMMUNITY_TOKEN, startStandIn, uploadFile } from './stand-in.js';

let vk: Awaited<ReturnType<typeof startStandIn>>;
beforeEach(async () => {
  vk = await startStandIn({ groups: [{ id: '7', title: 'Harbour' }] });
});
afterEach(() => vk.stop());

const post = (more: Record<string, string> = {}) =>
  vk.call('wall.post', { owner_id: '-7', from_group: '1', message: 'Ahoy', ...more });
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const mp4 = Buffer.concat([Buffer.alloc(4), Buffer.from('ftypisom')]);

describe('wall.post', () => {
  it("numbers a wall's posts and records them in the ledger", async () => {
    expect([await post(), await post({ message: 'Again' })]).toEqual([
      { response: { post_id: 1 } },
      { response: { post_id: 2 } },
    ]);
    expect(await vk.control.readLedger({ channel: '7' })).toMatchObject([
      { channel_title: 'Harbour', message_id: '1', text: 'Ahoy' },
      { message_id: '2', text: 'Again' },
    ]);
  });

  it('rejects a parameter that is no text of a form', async () => {
    const answer = await fetch(`${vk.url}/method/wall.post`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 5 }),
    });
    expect(await answer.json()).toMatchObject({ error: { inner_type: 'base_error', error_code: 100 } });
  });

  it('returns the same post for the same guid, and a new post for another guid', async () => {
    const first = await post({ guid: '11' });
    expect(await post({ guid: '11', message: 'other words' })).toEqual(first);
    expect((await post({ guid: '12' })).response).toEqual({ post_id: 2 });
    expect(await vk.control.readLedger()).toHaveLength(2);
  });

  it.each([
    ['no version', { v: '' }, 8],
    ['an old version', { v: '5.50' }, 8],
    ['no token', { access_token: '' }, 5],
    ['a VK ID token', { access_token: 'vk2.a.abc' }, 1051],
    ['the wall of a user', { owner_id: '7' }, 100],
    ['an empty post', { message: ' ' }, 100],
    ['a text that is too long', { message: 'x'.repeat(15_896) }, 100],
    ['an attachment that was never uploaded', { attachments: 'photo-7_1' }, 100],
    ['eleven attachments', { attachments: Array(11).fill('photo-7_1').join(',') }, 100],
    ['two links as attachments', { attachments: 'https://a.example,https://b.example' }, 222],
  ])('rejects %s', async (_, more, code) => {
    expect((await post(more)).error?.error_code).toBe(code);
    expect(await vk.control.readLedger()).toEqual([]);
  });

  it('limits the posts of a day if a control sets a limit', async () => {
    await vk.control.request('POST', 'groups', { group_id: '7', daily_limit: 50 });
    for (let n = 0; n < 50; n++) await post({ guid: String(n) });
    const { error } = await post({ guid: '50' });
    expect(error).toMatchObject({ error_code: 214, error_msg: expect.stringContaining('only add 50 posts a day') });
    expect((await post({ guid: '3' })).response).toEqual({ post_id: 4 });
  });

  it('turns mentions into links', async () => {
    await post({ message: 'by [id1|Pavel], @durov (him) and *club5 (them); mail a@b.example' });
    const [entry] = await vk.control.readLedger();
    expect(entry?.text).toBe('by Pavel, him and them; mail a@b.example');
    expect(entry?.entities.map(({ url }) => url)).toEqual([
      'https://vk.com/id1',
      'https://vk.com/durov',
      'https://vk.com/club5',
    ]);
  });
});

describe('kinds of token', () => {
  it.each(['wall.get', 'photos.getWallUploadServer', 'photos.saveWallPhoto', 'video.save'])(
    "a community's token may not call %s",
    async (method) => {
      const answer = await callVk(vk.url, method, { access_token: COMMUNITY_TOKEN, group_id: '7', owner_id: '-7' });
      expect(answer.error?.error_code).toBe(27);
    },
  );

  it("a community's token may post until it is revoked", async () => {
    expect((await post({ access_token: COMMUNITY_TOKEN })).response).toEqual({ post_id: 1 });
    await vk.control.request('POST', 'tokens', { token: COMMUNITY_TOKEN, kind: 'revoked' });
    expect((await post({ access_token: COMMUNITY_TOKEN })).error?.error_code).toBe(5);
  });

  it('are not written to the log of calls', async () => {
    await post();
    expect((await vk.control.listCalls()).items[0]?.request).toMatchObject({ message: 'Ahoy', access_token: '***' });
  });
});

describe('uploads', () => {
  const server = async () =>
    ((await vk.call('photos.getWallUploadServer', { group_id: '7' })).response as { upload_url: string }).upload_url;

  it('a photo passes the upload chain once and can then be posted', async () => {
    const answer = await uploadFile(await server(), 'photo', png);
    const saved = await vk.call('photos.saveWallPhoto', { group_id: '7', ...answer });
    const [{ id, owner_id, access_key }] = saved.response;
    expect((await vk.call('photos.saveWallPhoto', { group_id: '7', ...answer })).error?.error_code).toBe(100);
    // The photo belongs to the user who uploaded it, and others need its key.
    expect(owner_id).toBeGreaterThan(0);
    expect((await post({ attachments: `photo${owner_id}_${id}` })).error?.error_code).toBe(100);
    await post({ attachments: `photo${owner_id}_${id}_${access_key}` });
    const [entry] = await vk.control.readLedger();
    expect(entry?.media).toMatchObject([{ type: 'photo', bytes: png.length, mime: 'image/png' }]);
  });

  it.each([
    ['another hash', { hash: 'x' }, 121],
    ['another server', { server: '1' }, 121],
    ['another photo', { photo: '[{}]' }, 100],
    ['no photo', { photo: '' }, 100],
    ['another community', { group_id: '8' }, 100],
  ])('does not save a photo with %s', async (_, change, code) => {
    const answer = await uploadFile(await server(), 'photo', png);
    const saved = await vk.call('photos.saveWallPhoto', { group_id: '7', ...answer, ...change });
    expect(saved.error?.error_code).toBe(code);
  });

  it('an invalid photo is answered with an empty value; an address accepts one photo', async () => {
    const address = await server();
    expect(await uploadFile(address, 'photo', Buffer.from('words'))).toMatchObject({ photo: '[]' });
    expect(await uploadFile(address, 'other', png)).toMatchObject({ photo: '[]' });
    for (const [width, height] of [
      [9_000, 5_001],
      [2_001, 100],
    ] as const)
      expect(await uploadFile(address, 'photo', blank(width, height))).toMatchObject({ photo: '[]' });
    expect(await uploadFile(address, 'photo', png)).toMatchObject({ hash: expect.any(String) });
    expect(await uploadFile(address, 'photo', png)).toHaveProperty('error');
  });

  it('a video gets its name before its file and cannot be posted without its file', async () => {
    const { response } = await vk.call('video.save', { group_id: '7', name: 'Storm', wallpost: '0' });
    const attachments = `video${response.owner_id}_${response.video_id}_${response.access_key}`;
    expect((await post({ attachments })).error?.error_code).toBe(100);
    expect(await uploadFile(response.upload_url, 'video_file', png)).toHaveProperty('error_code');
    expect(await uploadFile(response.upload_url, 'video_file', mp4)).toMatchObject({ size: mp4.length });
    expect((await post({ attachments })).response).toEqual({ post_id: 1 });
  });
});

describe('wall.get', () => {
  it('lists the newest first, with the dates of posting', async () => {
    await post();
    await post({ message: 'Newer' });
    const { response } = await vk.call('wall.get', { owner_id: '-7', count: '1' });
    expect(response).toMatchObject({ count: 2, items: [{ id: 2, owner_id: -7, text: 'Newer', attachments: [] }] });
    expect(Math.abs(response.items[0].date - Date.now() / 1_000)).toBeLessThan(60);
  });
});

describe('a restart', () => {
  it('continues the numbering of posts and keeps uploads', async () => {
    await post();
    const address = (await vk.call('photos.getWallUploadServer', { group_id: '7' })).response.upload_url;
    const answer = await uploadFile(address, 'photo', png);
    const [{ id, owner_id, access_key }] = (await vk.call('photos.saveWallPhoto', { group_id: '7', ...answer }))
      .response;
    await vk.end();
    const again = await startStandIn({ ledgerFile: vk.ledgerFile });
    const parameters = { owner_id: '-7', from_group: '1', attachments: `photo${owner_id}_${id}_${access_key}` };
    expect(await again.call('wall.post', parameters)).toEqual({ response: { post_id: 2 } });
    expect(await again.control.readLedger()).toHaveLength(2);
    await again.stop();
    vk = await startStandIn();
  });
});
