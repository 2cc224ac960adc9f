import { publish, postIdOf, type Sent } from './client.js';
import type { Endpoint, Manage } from './manage.js';
import type { Network, Stage } from './e2e-harness.js';
import { until } from './until.js';

/** Settings that let processes share a database and a network; each has a DATA_DIR of its own. */
export const crew = async (stage: Stage, more: Readonly<Record<string, string>> = {}) => {
  const telegram = await stage.telegram();
  const database = await stage.database();
  const shared = { ...database, TELEGRAM_API_URL: telegram.url, ...more };
  const start = async (ROLES: string, own: Readonly<Record<string, string>> = {}) =>
    stage.gateway({ ...shared, DATA_DIR: await stage.folder(), ROLES, ...own });
  return { telegram, start, database };
};

/** Posts under a key that is its text. */
export const send = async (url: string, endpoint: Endpoint, key: string): Promise<Sent> => {
  const payload = { text: key };
  const answer = await publish(url, endpoint, payload, { 'idempotency-key': key });
  expect(answer.status).toBe(200);
  return { endpoint, key, payload, answer, client: endpoint.id };
};

export const called = ({ control }: Network, chatId: string): Promise<boolean> =>
  until(`a call for ${chatId}`, async () => (await control.calls()).items.some(({ channel }) => channel === chatId));

export const onWall = ({ control }: Network, chatId: string, text: string): Promise<boolean> =>
  until(`"${text}" is on ${chatId}`, async () =>
    (await control.ledger({ channel: chatId })).some((entry) => entry.text === text),
  );

export const stateOf = async (manage: Manage, { answer }: Sent): Promise<string> =>
  (await manage.findPost(postIdOf(answer))).publications[0]!.state;
