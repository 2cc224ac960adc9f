import request from 'supertest';
import { type ManagementHarness, operatorCaller, startHarness } from '../api/management/management-harness.js';
import { until } from '../e2e/until.js';
import {
  callAs,
  exportHistory,
  fill,
  importHistory,
  publishTheRest,
  readCheckpoint,
  readViews,
  type Setting,
  SETTINGS,
  verify,
} from './transfer-harness.js';

describe('the history moves to another gateway', () => {
  let source: ManagementHarness;
  let target: ManagementHarness;
  let setting: Setting;
  beforeAll(async () => {
    source = await startHarness(SETTINGS);
    setting = await fill(source);
    target = await startHarness({ ...SETTINGS, TELEGRAM_API_URL: source.telegramUrl });
  }, 300_000);
  afterAll(() => Promise.all([source?.stop(), target?.stop()]));

  it('exports every event once and in order, and goes on after any position', async () => {
    const lines = await exportHistory(source);
    const events = lines.map((line) => JSON.parse(line));
    expect(events.map(({ index }) => index)).toEqual(events.map((_, n) => n));
    expect(events.every(({ stream, id, data, hash }) => stream && id && data && hash)).toBe(true);
    expect(events.map(({ last }) => last ?? false)).toEqual(events.map((_, n) => n === events.length - 1));
    const { position } = events[7];
    expect(await exportHistory(source, `?after=${position}`)).toEqual(lines.slice(8));
    expect(await exportHistory(source, `?after=${events.at(-1).position}`)).toEqual([]);
    await setting.owner.caller.get('/history/export').expect(403);
    await operatorCaller(source).get('/history/export?after=x').expect(422);
  });

  it('holds content sealed, and adds it on request', async () => {
    const [sealed, open] = [await exportHistory(source), await exportHistory(source, '?content=open')];
    expect(open).toHaveLength(sealed.length);
    const accepted = open.map((line) => JSON.parse(line)).filter(({ type }) => type === 'PostAccepted');
    expect(accepted.length).toBeGreaterThan(0);
    for (const { data, open: content, ip } of accepted) {
      expect(data.payload ?? ip).toBeNull();
      expect(content).toEqual({ data: expect.objectContaining({ ownerId: data.ownerId }), ip: expect.any(String) });
      expect(content.data.payload ?? content.data.parts).toBeTruthy();
    }
    expect(sealed.join('')).not.toContain(JSON.stringify(accepted[0].open.data.payload.text));
    expect(open.map((line) => ({ ...JSON.parse(line), open: undefined }))).toEqual(
      sealed.map((line) => JSON.parse(line)),
    );
  });

  it('arrives whole: views, chains, tree and what was removed; nothing is sent again, and posts go on', async () => {
    const { pool } = source.running.infrastructure;
    const trimmed = await pool.query(`delete from event_store.event where stream like 'requestLog-%' and revision < 2`);
    expect(trimmed.rowCount).toBe(2);
    const checkpoint = await readCheckpoint(source);
    // The secret of a command that was rejected after it stored the secret, which no event names.
    const unnamed = await source.running.infrastructure.vault.storeSecret({ token: 'x' }, 'channel-tgt_rejected');
    const lines = await exportHistory(source, '?secrets=sealed');
    const { body: without } = await importHistory(target, lines).expect(422);
    expect(without.errors[0]).toContain('export-keys');
    const keys = await exportHistory(source, '?content_keys=sealed');
    const { body: imported } = await importHistory(target, keys).expect(200);
    expect(imported).toEqual({ events: 0, secrets: keys.length, complete: true });
    expect(lines.filter((line) => line.includes(unnamed))).toEqual([]);
    expect(lines.filter((line) => !line.includes('"id":'))).toHaveLength(2);
    const shown = await readViews(source, setting);
    // The source still shows requests whose events are gone, until a hundred newer ones replace them.
    const refusals = shown.requests.filter((item) => (item as { http_status: number }).http_status === 422);
    const before = { ...shown, requests: shown.requests.filter((item) => !refusals.slice(-2).includes(item)) };
    const sent = (await source.telegram.readLedger({})).length;

    // The import breaks off in the middle: the gateway does not act on a partial history.
    const half = Math.floor(lines.length / 2);
    const { body: first } = await importHistory(target, lines.slice(0, half)).expect(200);
    expect(first).toMatchObject({ complete: false });
    const refused = await operatorCaller(target).post('/owners', { name: 'Other', plan: 'free' });
    expect(refused.status).toBe(503);
    const { body } = await importHistory(target, lines).expect(200);
    expect(body).toEqual({
      events: lines.filter((line) => line.includes('"data":')).length,
      secrets: expect.any(Number),
      complete: true,
    });
    expect(body.secrets).toBeGreaterThan(0);

    await until('the views are level', async () => {
      const { body: posts } = await callAs(target, setting.owner).get('/posts');
      return posts.items?.length === 3;
    });
    expect(await readViews(target, setting)).toEqual(before);
    expect(await verify(target, checkpoint)).toMatchObject({ broken: [], checkpoint: 'consistent' });
    expect(await source.telegram.readLedger({})).toHaveLength(sent);

    const { body: again } = await importHistory(target, lines).expect(200);
    expect(again).toEqual(body);

    const texts = await publishTheRest(target, source, setting);
    expect(texts).toEqual(['one', 'two', 'three', 'four']);
  });

  it('is refused where there is another history, and where it is damaged', async () => {
    const lines = await exportHistory(source);
    const other = JSON.stringify({ ...JSON.parse(lines[3]!), hash: 'f'.repeat(64) });
    const { body: foreign } = await importHistory(target, [...lines.slice(0, 3), other]).expect(409);
    expect(foreign).toMatchObject({ code: 'store_not_empty' });
    await importHistory(source, lines).expect(409);
    const { body: damaged } = await importHistory(target, ['{"stream":']).expect(422);
    expect(damaged.errors[0]).toContain('Line 1');
    await request(target.url)
      .post('/manage/v1/history/import')
      .set('authorization', `Bearer ${operatorCaller(target).key}`)
      .send({})
      .expect(415);
  });
});
