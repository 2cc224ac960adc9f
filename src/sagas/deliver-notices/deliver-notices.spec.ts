import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../event-store/port.js';
import { silentLog } from '../../kernel/log.js';
import { FailingWork } from '../../runtime/failing-work.js';
import { UnreadableSecret } from '../../secrets/vault.js';
import { DeliverNotices, type NoticeQueue } from './deliver-notices.js';

const KIND = 'publication.failed';

/**
 * Delivers one notice to each owner until all are settled. A call to a chat takes 400 ms, so that it is still in
 * progress when reading another owner's secret fails.
 */
const deliver = async (owners: Readonly<Record<string, () => Error | null>>) => {
  const open = new Set(Object.keys(owners));
  const trace: string[] = [];
  const stop = new AbortController();
  const end = (owner: string) => {
    open.delete(owner);
    trace.push(`${owner} is settled`);
    if (open.size === 0) stop.abort();
  };
  const queue = {
    forget: async () => undefined,
    findDue: async () => [...open].map((owner_id) => ({ owner_id, kind: KIND })),
    openBatch: async ({ owner_id }) => ({ batch: owner_id, count: 1, texts: ['lost'], ageMs: 0, failures: 0 }),
    settle: async ({ owner_id }) => end(owner_id),
  } satisfies Partial<NoticeQueue>;
  const chats = { find: async (owner: string) => ({ chatId: owner, secretId: owner, locale: 'en' }) };
  const vault = {
    async readSecret(owner: string) {
      const error = owners[owner]!();
      if (error) throw error;
      return { bot_token: 'x' };
    },
  };
  const platforms = { noticeCarrier: { id: 'telegram' } };
  const publishers = {
    get: () => ({
      render: () => ({ steps: [{}] }),
      async send(_: unknown, { key }: { key: string }) {
        trace.push(`${key} is called`);
        await sleep(400);
        return { kind: 'done' };
      },
    }),
  };
  const leases = {
    failingWork: new FailingWork(),
    async acquire() {
      return { lost: new AbortController().signal, release: async () => void trace.push('the lease is released') };
    },
  };
  const saga = new DeliverNotices(
    queue as never,
    chats as never,
    vault as never,
    platforms as never,
    publishers as never,
    leases as never,
    silentLog,
    60_000,
  );
  await saga.run(stop.signal);
  return trace;
};

describe('a group of notices whose secret cannot be read', () => {
  it('waits until the calls to other chats have ended, if the database is away: none is called twice', async () => {
    let failures = 1;
    const outage = () => (failures-- > 0 ? new Unavailable('injected') : null);
    expect(await deliver({ healthy: () => null, away: outage })).toEqual([
      ...['healthy is called', 'healthy is settled', 'the lease is released'],
      ...['away is called', 'away is settled', 'the lease is released'],
    ]);
  });

  it('is given up if the secret cannot be decrypted, and holds back no other', async () => {
    const unreadable = () => new UnreadableSecret('sec_1');
    expect(await deliver({ damaged: unreadable, healthy: () => null })).toEqual([
      ...['healthy is called', 'damaged is settled', 'healthy is settled', 'the lease is released'],
    ]);
  });
});
