// More than 20 s: a replaced secret is erased only after 15 s.
import { SecretVault } from '../../../src/secrets/vault.js';
import { until } from '../../e2e/until.js';
import { PublishingHarness } from '../publish-due-posts/publishing-harness.js';

const URL = 'https://translate.example';

/** The method that the second test replaces. */
// eslint-disable-next-line @typescript-eslint/unbound-method
const { readSecret } = SecretVault.prototype;

let harness: PublishingHarness;
beforeAll(async () => {
  harness = await PublishingHarness.start({ MINUTE_MS: '1000' });
  await harness.startWorker();
});
afterAll(() => harness.stop());

const query = async (text: string, values: readonly unknown[] = []) =>
  (await harness.infrastructure.pool.query<Record<string, string>>(text, [...values])).rows;

/** Lists the secrets in the database: their ids, in the order of their creation. */
const listSecrets = async (): Promise<Set<string>> =>
  new Set((await query('select secret_id from ops_secret')).map(({ secret_id }) => secret_id!));

/** Makes a change and returns the id of the secret that it stores. */
const storing = async (change: () => Promise<unknown>): Promise<string> => {
  const before = await listSecrets();
  await change();
  const added = [...(await listSecrets())].filter((id) => !before.has(id));
  expect(added).toHaveLength(1);
  return added[0]!;
};

const readSealed = async (id: string): Promise<string> => {
  const text = `select encode(sealed, 'hex') as hex from ops_secret where secret_id = $1`;
  return (await query(text, [id]))[0]!['hex']!;
};

/** Lists the tables of the whole database that contain a text in any column. */
const findInDatabase = async (text: string): Promise<string[]> => {
  const tables = await query(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables)
    if ((await query(`select 1 from ${name} t where t::text like $1 limit 1`, [`%${text}%`])).length > 0)
      found.push(name!);
  return found;
};

it('erases what was replaced or removed, wherever it lay, and nothing that is in use (D-56)', async () => {
  const { manage } = harness;
  const channel = await harness.createChannel('telegram');
  const { id: owner_id } = await manage.post<{ id: string }>('/owners', { name: 'Erased', plan: 'business' });
  const translated = (api_key: string | null) => ({
    processing: {
      translation: { provider: 'libretranslate', url: URL, source: 'ru', target: 'en', on_failure: 'retry', api_key },
    },
  });
  const project = await manage.post<{ id: string }>('/projects', { owner_id, name: 'P', channel_ids: [] });
  const body = { owner_id, project_ids: [project.id], mode: 'live' };
  const [endpoint, other] = [
    await manage.post<{ id: string }>('/endpoints', body),
    await manage.post<{ id: string }>('/endpoints', body),
  ];
  const noticeChat = (bot_token: string) => ({ notice_chat: { bot_token, chat_id: '1' } });
  const credentials = (bot_token: string) => ({ credentials: { bot_token, chat_id: channel.chat } });
  const ids = {
    credentials: await storing(() =>
      manage.patch(`/channels/${channel.channelId}`, credentials(`1:${'a'.repeat(35)}`)),
    ),
    translationKey: await storing(() => manage.patch(`/projects/${project.id}`, translated('first'))),
    noticeToken: await storing(() => manage.patch(`/owners/${owner_id}`, noticeChat('1:first'))),
    signing: await storing(() => manage.post(`/endpoints/${endpoint.id}/rotate-secret`, { overlap_minutes: 0 })),
    overlapping: await storing(() => manage.post(`/endpoints/${other.id}/rotate-secret`, { overlap_minutes: 0 })),
  };
  const sealed = await Promise.all(Object.values(ids).map(readSealed));
  for (const text of sealed) expect(await findInDatabase(text)).toEqual(['public.ops_secret']);
  await query(`insert into ops_pace (key, slots) values
    ('account/idle', array[now() - interval '2 minutes']), ('account/busy', array[now() + interval '10 minutes'])`);

  const newCredentials = await storing(() =>
    manage.patch(`/channels/${channel.channelId}`, credentials(`1:${'b'.repeat(35)}`)),
  );
  const newKey = await storing(() => manage.patch(`/projects/${project.id}`, translated('second')));
  await manage.patch(`/owners/${owner_id}`, { notice_chat: null });
  const newSigning = await storing(() =>
    manage.post(`/endpoints/${endpoint.id}/rotate-secret`, { overlap_minutes: 0 }),
  );
  await manage.post(`/endpoints/${other.id}/rotate-secret`, { overlap_minutes: 1_000 });
  // An attempt at that moment goes out with one credential or the other.
  await channel.waitForState(await channel.publish({ text: 'in between' }), 'published');

  const { overlapping, ...gone } = ids;
  await until('the former secrets are gone', async () => {
    const left = await listSecrets();
    return Object.values(gone).every((id) => !left.has(id));
  });
  const left = await listSecrets();
  for (const id of [newCredentials, newKey, newSigning, overlapping]) expect(left).toContain(id);
  for (const text of sealed.slice(0, 4)) expect(await findInDatabase(text)).toEqual([]);
  // A note goes after its secret.
  await until('only the note of the secret in use is left', async () => {
    const notes = (await query(`select subject from ops_erasure where kind = 'secret'`)).map(({ subject }) => subject);
    return notes.length === 1 && notes[0] === overlapping;
  });
  await until('the idle budget is gone', async () => {
    const keys = (await query('select key from ops_pace')).map(({ key }) => key);
    return keys.length === 1 && keys[0] === 'account/busy';
  });
  await channel.waitForState(await channel.publish({ text: 'after' }), 'published');
});

it('goes on with the new credentials if the former ones are erased between two reads of an attempt', async () => {
  const channel = await harness.createChannel('telegram');
  const [connected] = await harness.readEvents(`channel-${channel.channelId}`);
  const { credentialsId } = connected!.data as { credentialsId: string };
  let isReplaced = false;
  SecretVault.prototype.readSecret = async function (id) {
    if (id !== credentialsId || isReplaced) return readSecret.call(this, id);
    isReplaced = true;
    await channel.replaceCredentials();
    await this.eraseSecret(id);
    return null;
  };
  const { attempts } = await channel.waitForState(await channel.publish({ text: 'first' }), 'published');
  SecretVault.prototype.readSecret = readSecret;
  expect([isReplaced, attempts.length]).toEqual([true, 1]);
});
