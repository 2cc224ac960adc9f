import type { LedgerEntry } from '../../src/stand-ins/kit/ledger.js';
import { postIdOf, publish, type Sent } from './client.js';
import type { Channel, Manage, Receipt } from './manage.js';
import type { Network } from './stage.js';
import { until } from './until.js';

/** What is true of a channel when everything is over. */
interface Books {
  readonly channel: Channel;
  /** In the order of acceptance, with the text of each post. */
  readonly receipts: readonly (Receipt & { readonly text: string })[];
  /** What the readers see, in their order. */
  readonly wall: readonly LedgerEntry[];
}

/** What an audit found; what must not be is thrown. */
export interface Findings {
  readonly published: number;
  readonly inDoubt: number;
}

const OVER: readonly Receipt['state'][] = ['published', 'in_doubt', 'failed', 'filtered', 'dismissed'];

/**
 * Waits until everything that was answered is over, then holds the gateway's books against the network's ledger
 * (security.md: L1, L2, L3):
 * - every post that was answered is on every wall that it was meant for, or is flagged `in_doubt`
 * - nothing is there twice, and nothing that nobody sent
 * - each wall shows the order of acceptance, and a client finds its posts in the order in which it sent them
 */
export const expectNothingLost = async (
  manage: Manage,
  { control }: Network,
  sent: readonly Sent[],
  channels: readonly Channel[],
): Promise<Findings> => {
  const textOf = new Map(sent.map((one) => [postIdOf(one.answer), one.key]));
  expect(textOf.size).toBe(sent.length); // no two keys share a post
  let [published, inDoubt] = [0, 0];
  for (const channel of channels) {
    const meant = sent.filter(({ endpoint }) => endpoint.channels.includes(channel));
    const receipts = await until(`all posts of ${channel.chatId} are over`, async () => {
      const all = await manage.receipts(channel.id);
      const left = meant.length - all.filter(({ state }) => OVER.includes(state)).length;
      if (left > 0) throw new Error(`${left} of ${meant.length} are not`);
      return all.map((receipt) => ({ ...receipt, text: textOf.get(receipt.post_id) ?? `? ${receipt.post_id}` }));
    });
    const wall = await control.ledger({ channel: channel.chatId });
    checkBooks({ channel, receipts, wall }, meant);
    published += receipts.filter(({ state }) => state === 'published').length;
    inDoubt += receipts.filter(({ state }) => state === 'in_doubt').length;
  }
  return { published, inDoubt };
};

const checkBooks = ({ channel, receipts, wall }: Books, meant: readonly Sent[]): void => {
  const where = `on ${channel.chatId}`;
  // Complete: every post once, numbered without gaps.
  expect({ where, accepted: receipts.map(({ text }) => text).sort() }).toEqual({
    where,
    accepted: meant.map(({ key }) => key).sort(),
  });
  expect({ where, sequence: receipts.map(({ sequence }) => sequence) }).toEqual({
    where,
    sequence: receipts.map((_, i) => i + 1),
  });
  const neither = receipts.filter(({ state }) => state !== 'published' && state !== 'in_doubt');
  expect({ where, neither }).toEqual({ where, neither: [] });

  // In order, once each; only what is in doubt may be missing.
  const seen = new Set(wall.map(({ text }) => text));
  const expected = receipts.filter(({ state, text }) => state === 'published' || seen.has(text));
  expect({ where, wall: wall.map(({ text }) => text) }).toEqual({ where, wall: expected.map(({ text }) => text) });

  // The receipts name the messages that the readers see.
  const ids = new Map(wall.map(({ text, message_id }) => [text, message_id]));
  const published = receipts.filter(({ state }) => state === 'published');
  expect({ where, ids: published.map(({ message_ids }) => message_ids) }).toEqual({
    where,
    ids: published.map(({ text }) => [ids.get(text)]),
  });

  // A client's own order.
  const place = new Map(receipts.map(({ text, sequence }) => [text, sequence]));
  for (const client of new Set(meant.map((one) => one.client))) {
    const places = meant.filter((one) => one.client === client).map(({ key }) => place.get(key)!);
    expect({ where, client, places }).toEqual({ where, client, places: [...places].sort((a, b) => a - b) });
  }
};

/** Sends every post once more: 202, and the first answer byte for byte (L5). */
export const expectReplays = async (url: string, sent: readonly Sent[]): Promise<void> => {
  for (const { endpoint, key, answer } of sent) {
    const again = await publish(url, endpoint, { text: key }, { 'idempotency-key': key });
    expect({ key, status: again.status, body: again.body }).toEqual({ key, status: 202, body: answer.body });
  }
};
