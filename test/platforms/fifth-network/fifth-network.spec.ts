import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedDemo } from '../../../src/app/demo.js';
import { type Running, start } from '../../../src/app/start.js';
import { createLogger } from '../../../src/config/logger.js';
import { helpText, loadSettings } from '../../../src/config/settings.js';
import { PLATFORMS } from '../../../src/platforms/catalogue.js';
import { PlatformCatalogue } from '../../../src/platforms/platform-catalogue.js';
import { until } from '../../e2e/until.js';
import { startTestPostgres } from '../../support/postgres.js';
import { StandInControl } from '../../support/stand-in-control.js';
import { pinboard } from './descriptor.js';
import { API_KEY, pinboardStandIn } from './pinboard-stand-in.js';

const platforms = new PlatformCatalogue([...PLATFORMS.all, pinboard]);
const OPERATOR_KEY = 'operator-key-of-the-tests';

describe('a fifth network, added as one folder', () => {
  let running: Running;
  let wall: StandInControl;
  let stop: () => Promise<void>;
  let owner: string;

  const call = async (method: string, path: string, body?: object, key = OPERATOR_KEY) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(running.address + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each route has its own body
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const channel = (fields: object) =>
    call('POST', '/manage/v1/channels', { owner_id: owner, platform: 'pinboard', name: 'Notes', ...fields });
  const credentials = { api_key: API_KEY, board_id: 42 };
  const problems = ({ body }: Awaited<ReturnType<typeof call>>): string[] =>
    body.details.map(({ message }: { message: string }) => message);

  /** A live endpoint that publishes to these channels. */
  const endpointFor = async (channel_ids: readonly string[], more: object = {}) => {
    const project = await call('POST', '/manage/v1/projects', { owner_id: owner, name: 'Notes', channel_ids, ...more });
    const draft = { owner_id: owner, project_ids: [project.body.id], mode: 'live', min_interval: 1 };
    return (await call('POST', '/manage/v1/endpoints', draft)).body as {
      readonly slug: string;
      readonly token: string;
    };
  };

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crosspost-fifth-'));
    const postgres = await startTestPostgres();
    const settings = loadSettings(
      {
        PORT: '0',
        DATA_DIR: folder,
        DATABASE_URL: postgres.connectionString,
        SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
        OPERATOR_KEY,
        DEMO: 'on',
        PACING: 'off',
        LOG_LEVEL: 'error',
      },
      platforms.all,
    );
    const networks = { platforms, standIns: [pinboardStandIn] };
    running = await start(settings, createLogger(settings), undefined, { networks });
    wall = new StandInControl(running.networks.standIns[0]!.url);
    stop = async () => {
      await running.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    };
    await until('the read models exist', async () => (await call('GET', '/manage/v1/owners')).status === 200);
    owner = (await call('POST', '/manage/v1/owners', { name: 'Ada', plan: 'business' })).body.id;
  });
  afterAll(() => stop());

  it('has its base URL among the settings', () => {
    expect(helpText(platforms.all)).toMatch(/^ {2}PINBOARD_API_URL +base URL of Pinboard: the part before \/notes$/m);
    expect(loadSettings({ PINBOARD_API_URL: 'http://127.0.0.1:9/' }, platforms.all).apiUrls).toEqual({
      telegram: null,
      vk: null,
      max: null,
      ok: null,
      pinboard: 'http://127.0.0.1:9',
    });
    expect(() => loadSettings({ PINBOARD_API_URL: 'x' }, platforms.all)).toThrow(
      'PINBOARD_API_URL must be an http or https URL; got',
    );
    expect(running.networks.urls).toMatchObject({
      vk: 'https://api.vk.ru',
      pinboard: running.networks.standIns[0]!.url,
    });
  });

  it('has its own rules for credentials and settings in the management API', async () => {
    const wrong = await channel({ credentials: { board_id: 'x', chat_id: '1' }, settings: { paper: 'red', days: 31 } });
    expect(wrong.status).toBe(422);
    expect(problems(wrong)).toEqual([
      'credentials.chat_id is not a field here; the fields are api_key, board_id',
      "credentials.api_key is missing: send the board's API key",
      `credentials.board_id must be the board's number, such as 42, not the string "x"`,
      'settings.days must be from 1 to 30, not 31',
      'settings.paper must be yellow or blue, not the string "red"',
    ]);
  });

  it('is recognised where another network is meant', async () => {
    expect(problems(await channel({ platform: 'x', credentials }))).toEqual([
      'platform must be telegram, vk, max, ok or pinboard, not the string "x"',
    ]);
    const vk = { platform: 'vk', credentials: { access_token: 't', group_id: '7' } };
    expect(problems(await channel({ ...vk, settings: { paper: 'blue' } }))).toEqual([
      'settings.paper is a setting of pinboard only, and this channel is on vk: leave it out',
    ]);
    expect(problems(await channel({ credentials, settings: { buttons: 'drop' } }))).toEqual([
      'settings.buttons is a setting of ok only, and this channel is on pinboard: leave it out',
    ]);
  });

  it('is driven from a channel over the sandbox to publication and its wall', async () => {
    const created = await channel({ credentials, settings: { paper: 'blue' } });
    expect(created).toMatchObject({
      status: 201,
      body: {
        platform: 'pinboard',
        address: { board_id: '42' },
        settings: { on_doubt: 'hold', paper: 'blue', days: 7 },
        status: 'ok',
        test: { ok: true, checks: [{ name: 'chat', ok: true, message: 'The board is there.', platform_says: null }] },
      },
    });
    const tested = await call('POST', `/manage/v1/channels/${created.body.id}/test`, {});
    expect(tested).toEqual({ status: 200, body: created.body.test });
    const signature = { text: 'Ada', platforms: ['pinboard'] };
    const { slug, token } = await endpointFor([created.body.id], { processing: { signature } });

    const text = `Ahoy ${'note '.repeat(40)}`;
    const sandbox = await call('POST', '/v1/sandbox/test', { text }, token);
    expect(Object.keys(sandbox.body.preview)).toEqual(['telegram', 'vk', 'max', 'pinboard']);
    const { requests, warnings, text_after_trim } = sandbox.body.preview.pinboard;
    expect(text_after_trim).toMatch(/^Ahoy note .*…\n\nAda$/);
    expect(warnings.map(({ code }: { code: string }) => code)).toEqual(['text_trimmed']);
    const request = { board: 42, text: text_after_trim, paper: 'blue' };
    expect(requests).toEqual([{ step: 'note', method: 'POST /notes', request, target_id: created.body.id }]);

    expect((await call('POST', `/v1/webhooks/${slug}`, { text }, token)).status).toBe(200);
    await until('the note is on the wall', async () => (await wall.readLedger({ channel: '42' })).length > 0);
    expect((await wall.readLedger({ channel: '42' })).map((entry) => entry.text)).toEqual([text_after_trim]);
    await until('the receipt is there', async () => {
      const { body } = await call('GET', `/manage/v1/channels/${created.body.id}/receipts`);
      return body.items[0]?.state === 'published' && body.items[0].message_ids[0] === '1';
    });

    const page = await (await fetch(`${running.address}/walls`)).text();
    expect(page).toContain(`data-platform="pinboard" data-layout="cards"`);
    expect(page).toContain("[data-platform='pinboard'] { --accent: light-dark(#8a4b12, #e0a46a); }");
    expect(page).toContain('Ahoy note');
  });

  it('has no preview for an endpoint without a channel on it', async () => {
    const { token } = await endpointFor([]);
    const { body } = await call('POST', '/v1/sandbox/test', { text: 'Ahoy' }, token);
    expect(Object.keys(body.preview)).toEqual(['telegram', 'vk', 'max']);
  });

  it('has a channel in the demo', async () => {
    const { url, token } = (await seedDemo(running)).endpoint!;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'From the demo' }),
    });
    expect(answer.status).toBe(200);
    await until('the demo post is on the wall', async () =>
      (await wall.readLedger({ channel: '42' })).some((entry) => entry.text === 'From the demo'),
    );
  });
});

describe('PlatformCatalogue', () => {
  it('refuses two networks of one identifier, two of one setting, and a malformed identifier', () => {
    expect(() => new PlatformCatalogue([pinboard, pinboard])).toThrow('two networks share pinboard');
    expect(() => new PlatformCatalogue([pinboard, { ...pinboard, id: 'corkboard' }])).toThrow(
      'two networks share PINBOARD_API_URL',
    );
    expect(() => new PlatformCatalogue([{ ...pinboard, id: 'Pin board' }])).toThrow(
      'malformed network identifier "Pin board"',
    );
  });

  it('does not know a network that it does not list', () => {
    expect(PLATFORMS.find('pinboard')).toBeUndefined();
    expect(() => PLATFORMS.get('pinboard')).toThrow('unknown network "pinboard"');
  });
});
