import type { PoolClient } from 'pg';
import { DISCOVERY } from '../../../src/projections/discovery/discovery.tables.js';
import { NoticeQueue } from '../../../src/sagas/deliver-notices/deliver-notices.js';
import { TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';

/** Ten minutes are two seconds. */
const MINUTE_MS = '200';

let gateway: TestGateway;
beforeAll(async () => (gateway = await TestGateway.start({ MINUTE_MS })));
afterAll(() => gateway.stop());

let chats = 0;
const setUp = async (locale?: string) => {
  const owner = await gateway.createOwner();
  const chat = `-200${++chats}`;
  const notice_chat = { bot_token: `2000:${'n'.repeat(35)}`, chat_id: chat };
  const changed = await gateway.manage('PATCH', `/owners/${owner}`, { notice_chat, ...(locale && { locale }) });
  expect(changed).toMatchObject({ notice_chat: { chat_id: chat }, locale: locale ?? 'en' });
  const channel = await gateway.createChannel(owner, 'News');
  const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [channel])]);
  const fail = async (): Promise<string> => {
    await gateway.telegram.addFault({ method: 'sendMessage', channel: channel.chatId, mode: 'answer', status: 400 });
    const { id } = (await endpoint.post('', { text: 'refused' })).body;
    await until('failed', async () => (await endpoint.readPost(id)).body.publications[0].state === 'failed');
    return id;
  };
  return { owner, chat, channel, endpoint, fail };
};

const waitForMessages = (chat: string, count: number): Promise<string[]> =>
  until(`${count} messages in ${chat}`, async () => {
    const wall = await gateway.readWall(chat);
    return wall.length >= count && wall;
  });

const isEmpty = async (owner: string): Promise<boolean> => {
  const { rows } = await gateway.pool.query('select from ops_notice where owner_id = $1 and settled_at is null', [
    owner,
  ]);
  return rows.length === 0;
};

describe("notices in the owner's chat", () => {
  it.each([
    ['en', /was not published on "News" \(telegram\)\..* You can send it again or dismiss it\.$/],
    ['ru', /^Пост post_\w+ не опубликован в "News" \(telegram\)\..* Вы можете отправить его снова/],
  ])('are written in the language %s, and say what to do', async (locale, expected) => {
    const { chat, fail } = await setUp(locale);
    const id = await fail();
    const [text] = await waitForMessages(chat, 1);
    expect(text).toContain(id);
    expect(text).toMatch(expected);
  });

  it('of one kind are grouped: one message in ten minutes', async () => {
    const { chat, fail, owner } = await setUp();
    const first = await fail();
    await waitForMessages(chat, 1);
    // No later message leaves before all notices are queued, however long the posts take.
    const busy = { ok: false, error_code: 429, description: 'Too Many Requests: retry after 1' };
    const hold = {
      method: 'sendMessage',
      channel: chat,
      mode: 'answer',
      status: 429,
      body: busy,
      times: null,
    } as const;
    await gateway.telegram.addFault(hold);
    const others = [await fail(), await fail(), await fail()];
    await until('all notices are queued', async () => {
      const { rowCount } = await gateway.pool.query('select from ops_notice where owner_id = $1', [owner]);
      return rowCount === 1 + others.length;
    });
    await gateway.telegram.clearFaults();
    const messages = await until('all notices are delivered', async () => {
      const wall = await gateway.readWall(chat);
      return others.every((id) => wall.some((text) => text.includes(id))) && wall;
    });
    expect(messages[0]).toContain(first);
    expect(messages.length).toBeLessThan(4);
    const { rows } = await gateway.pool.query<{ batch: string }>(
      'select distinct batch from ops_notice where owner_id = $1',
      [owner],
    );
    expect(rows).toHaveLength(messages.length);
  });

  it('tell of a channel that needs attention', async () => {
    const { chat, channel, endpoint } = await setUp();
    await gateway.telegram.addFault({ method: 'sendMessage', channel: channel.chatId, mode: 'answer', status: 401 });
    await endpoint.post('', { text: 'held' });
    const [text] = await waitForMessages(chat, 1);
    expect(text).toMatch(/^The channel "News" \(telegram\) needs attention\./);
  });

  it('are given up where the chat is lost for good, and later ones are tried again', async () => {
    const { chat, owner, fail } = await setUp();
    const blocked = { method: 'sendMessage', channel: chat, mode: 'answer', status: 403, times: null } as const;
    await gateway.telegram.addFault(blocked);
    const lost = await fail();
    await until('given up', async () => {
      const { rows } = await gateway.pool.query('select from ops_notice where owner_id = $1', [owner]);
      return rows.length > 0 && isEmpty(owner);
    });
    await gateway.telegram.clearFaults();
    const id = await fail();
    const messages = await waitForMessages(chat, 1);
    expect(messages.join()).toContain(id);
    expect(messages.join()).not.toContain(lost);
  });

  it('without a chat are dropped', async () => {
    const { owner, fail, chat } = await setUp();
    await gateway.manage('PATCH', `/owners/${owner}`, { notice_chat: null });
    await fail();
    await until('dropped', async () => {
      const { rows } = await gateway.pool.query('select from ops_notice where owner_id = $1', [owner]);
      return rows.length > 0 && isEmpty(owner);
    });
    expect(await gateway.readWall(chat)).toEqual([]);
  });
});

describe('a chat whose secret cannot be decrypted', () => {
  it('loses its notices, and makes none of another chat go twice', async () => {
    const [damaged, healthy] = [await setUp(), await setUp()];
    await gateway.pool.query(
      `update ops_secret set sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1)
       where secret_id = (select state #>> '{notice_chat,secret_id}' from ${DISCOVERY}.owner where owner_id = $1)`,
      [damaged.owner],
    );
    // The call to the other chat is under way when the secret is read.
    await gateway.telegram.addFault({
      method: 'sendMessage',
      channel: healthy.chat,
      mode: 'delay',
      delay_ms: 1_000,
      times: null,
    });
    await gateway.pool.query(
      `insert into ops_notice (notice_id, owner_id, kind, text, raised_at)
       select 'ntc_' || owner_id, owner_id, 'publication.failed', 'of ' || owner_id, now() from unnest($1::text[]) owner_id`,
      [[damaged.owner, healthy.owner]],
    );
    await until('the notices of both are settled', async () =>
      (await Promise.all([damaged, healthy].map(({ owner }) => isEmpty(owner)))).every(Boolean),
    );
    await gateway.telegram.clearFaults();
    expect(await gateway.readWall(healthy.chat)).toEqual([`of ${healthy.owner}`]);
    expect(await gateway.readWall(damaged.chat)).toEqual([]);
    // The owner sets the bot's token again: later notices arrive.
    const notice_chat = { bot_token: `2000:${'n'.repeat(35)}`, chat_id: damaged.chat };
    await gateway.manage('PATCH', `/owners/${damaged.owner}`, { notice_chat });
    const id = await damaged.fail();
    expect((await waitForMessages(damaged.chat, 1)).join()).toContain(id);
  });
});

describe('the queue of notices', () => {
  const notice = (noticeId: string) => ({
    noticeId,
    ownerId: 'own_queue',
    kind: 'publication.failed' as const,
    subject: {},
    text: noticeId,
    at: Date.now(),
  });
  const group = { owner_id: 'own_queue', kind: 'publication.failed' };

  it('keeps a batch over a crash, without what came later, and forgets no notice', async () => {
    // The gateway's worker would drop the test's notices, whose owner does not exist. It does not see this transaction.
    const queue = await QueueInTransaction.open();
    try {
      await queue.add(notice('ntc_1'));
      await queue.add(notice('ntc_2'));
      const batch = await queue.openBatch(group, 8);
      expect(batch).toMatchObject({ count: 2, texts: ['ntc_1', 'ntc_2'], failures: 0 });
      // The process dies after the message was sent. A later one sends the same message.
      await queue.add(notice('ntc_3'));
      expect(await queue.openBatch(group, 8)).toMatchObject({ batch: batch!.batch, count: 2 });
      await queue.postpone(group, 60_000);
      expect(await queue.findDue(8)).not.toContainEqual(group);
      expect(await queue.openBatch(group, 8)).toMatchObject({ batch: batch!.batch, failures: 1 });
      await queue.settle(group, batch!, 0);
      // The event is repeated after a crash: it was delivered already.
      await queue.add(notice('ntc_1'));
      expect(await queue.findDue(8)).toContainEqual(group);
      expect(await queue.openBatch(group, 8)).toMatchObject({ count: 1, texts: ['ntc_3'], failures: 0 });
    } finally {
      await queue.rollBack();
    }
  });
});

/** A queue whose changes no other process sees. */
class QueueInTransaction extends NoticeQueue {
  private constructor(private readonly client: PoolClient) {
    super(client as unknown as TestGateway['pool']);
  }

  static async open(): Promise<QueueInTransaction> {
    const client = await gateway.pool.connect();
    await client.query('begin');
    return new QueueInTransaction(client);
  }

  async rollBack(): Promise<void> {
    await this.client.query('rollback');
    this.client.release();
  }
}
