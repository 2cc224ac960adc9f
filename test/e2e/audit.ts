import type { LedgerEntry } from '../../src/stand-ins/kit/ledger.js';
import { postIdOf, publish, type Sent } from './client.js';
import type { Channel, Manage, Receipt } from './manage.js';
import type { Network } from './e2e-harness.js';
import { until } from './until.js';

/** What is true of a channel when everything is over. */
interface Books {
  readonly channel: Channel;
  /** In the order of acceptance, with the text of each post. */
  readonly receipts: readonly (Receipt & { readonly text: string })[];
  /** What the readers see, in their order. */
  readonly wall: readonly LedgerEntry[];
}

/** What an audit lets pass, because the test has brought it about. */
interface Excuses {
  /** Publications that were in doubt for a while: a network may take such a one late, when others have gone before. */
  readonly doubted?: () => Promise<ReadonlySet<string>>;
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
  { doubted = async () => new Set() }: Excuses = {},
): Promise<Findings> => {
  const textOf = new Map(sent.map((one) => [postIdOf(one.answer), one.key]));
  expect(textOf.size).toBe(sent.length); // no two keys share a post
  const meantFor = (channel: Channel) => sent.filter(({ endpoint }) => endpoint.channels.includes(channel));
  const all: Books[] = [];
  for (const channel of channels) {
    const meant = meantFor(channel).length;
    const receipts = await until(`all posts of ${channel.chatId} are over`, async () => {
      const found = await manage.receipts(channel.id);
      const over = found.filter(({ state }) => OVER.includes(state)).length;
      if (over < meant) throw new Error(`${meant - over} of ${meant} are not`);
      return found.map((receipt) => ({ ...receipt, text: textOf.get(receipt.post_id) ?? `? ${receipt.post_id}` }));
    });
    all.push({ channel, receipts, wall: await control.ledger({ channel: channel.chatId }) });
  }
  const excused = await doubted();
  for (const books of all) checkBooks(books, meantFor(books.channel), excused);
  const count = (wanted: Receipt['state']) =>
    all.flatMap(({ receipts }) => receipts).filter(({ state }) => state === wanted).length;
  return { published: count('published'), inDoubt: count('in_doubt') };
};

const checkBooks = ({ channel, receipts, wall }: Books, meant: readonly Sent[], excused: ReadonlySet<string>): void => {
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

  // Once each; only what is in doubt may be missing.
  const texts = wall.map(({ text }) => text);
  const seen = new Set(texts);
  const expected = receipts.filter(({ state, text }) => state === 'published' || seen.has(text));
  expect({ where, wall: [...texts].sort() }).toEqual({ where, wall: expected.map(({ text }) => text).sort() });

  // In order.
  const late = new Set(receipts.filter((one) => excused.has(one.publication_id)).map(({ text }) => text));
  expect({ where, wall: texts.filter((text) => !late.has(text)) }).toEqual({
    where,
    wall: expected.map(({ text }) => text).filter((text) => !late.has(text)),
  });

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

/** Sends every post once more, by each of its names (D-19): 202, and the first answer byte for byte (L5). */
export const expectReplays = async (url: string, sent: readonly Sent[]): Promise<void> => {
  for (const { endpoint, key, payload, answer } of sent) {
    const again = [await publish(url, endpoint, payload, { 'idempotency-key': key })];
    if (payload.external_id !== undefined) again.push(await publish(url, endpoint, payload));
    for (const { status, body } of again)
      expect({ key, status, body }).toEqual({ key, status: 202, body: answer.body });
  }
};
