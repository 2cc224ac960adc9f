import { postIdOf, publish, type SentPost } from './client.js';
import type { E2eHarness, Network } from './e2e-harness.js';
import type { Endpoint, ManagementClient } from './management-client.js';
import { until } from './until.js';

/** Starts a database and a network. Returns a function that starts processes on them, each with its own DATA_DIR. */
export const startSharedServers = async (harness: E2eHarness, more: Readonly<Record<string, string>> = {}) => {
  const telegram = await harness.startTelegram();
  const database = await harness.createDatabase();
  const shared = { ...database, TELEGRAM_API_URL: telegram.url, ...more };
  const start = async (ROLES: string, own: Readonly<Record<string, string>> = {}) =>
    harness.startGateway({ ...shared, DATA_DIR: await harness.createFolder(), ROLES, ...own });
  return { telegram, start, database };
};

/** Publishes a post whose text is its key. */
export const sendPost = async (url: string, endpoint: Endpoint, key: string): Promise<SentPost> => {
  const payload = { text: key };
  const answer = await publish(url, endpoint, payload, { 'idempotency-key': key });
  expect(answer.status).toBe(200);
  return { endpoint, key, payload, answer, client: endpoint.id };
};

export const waitForSend = ({ control }: Network, chatId: string): Promise<boolean> =>
  until(`a post for ${chatId} has arrived`, async () =>
    (await control.listCalls({ method: 'sendMessage' })).items.some(({ channel }) => channel === chatId),
  );

export const waitForPost = ({ control }: Network, chatId: string, text: string): Promise<boolean> =>
  until(`"${text}" is on ${chatId}`, async () =>
    (await control.readLedger({ channel: chatId })).some((entry) => entry.text === text),
  );

export const readState = async (manage: ManagementClient, { answer }: SentPost): Promise<string> =>
  (await manage.findPost(postIdOf(answer))).publications[0]!.state;
