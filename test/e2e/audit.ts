import type { LedgerEntry } from '../../stand-ins/kit/ledger-entry.js';
import { postIdOf, publish, type SentPost } from './client.js';
import type { Network } from './e2e-harness.js';
import type { Channel, ManagementClient, Receipt } from './management-client.js';
import { until } from './until.js';

/** Records of a channel after all its publications have a final state. */
interface ChannelAudit {
  readonly channel: Channel;
  /** Receipts in the order of acceptance, with the text of each post. */
  readonly receipts: readonly (Receipt & { readonly text: string })[];
  /** Posts that readers see, in their order. */
  readonly wall: readonly LedgerEntry[];
}

/** Exceptions that an audit allows because the test causes them. */
interface AuditOptions {
  /** Finds publications that were in doubt for a while: a network may accept one late, after later posts. */
  readonly findInDoubt?: () => Promise<ReadonlySet<string>>;
}

/** Result of an audit; a violation is thrown. */
export interface AuditResult {
  readonly published: number;
  readonly inDoubt: number;
}

const FINAL_STATES: readonly Receipt['state'][] = ['published', 'in_doubt', 'failed', 'filtered', 'dismissed'];

/**
 * Waits until all accepted posts have a final state, then compares the gateway's records with the network's ledger
 * (security.md: L1, L2, L3):
 * - every accepted post is on every wall that it targets, or is flagged `in_doubt`
 * - no wall shows a post twice or a post that no client sent
 * - each wall shows the order of acceptance, and the posts of one client in the order in which it sent them
 */
export const expectNothingLost = async (
  manage: ManagementClient,
  { control }: Network,
  sent: readonly SentPost[],
  channels: readonly Channel[],
  { findInDoubt = async () => new Set() }: AuditOptions = {},
): Promise<AuditResult> => {
  const textByPost = new Map(sent.map((one) => [postIdOf(one.answer), one.key]));
  expect(textByPost.size).toBe(sent.length); // no two keys share a post
  const postsFor = (channel: Channel) => sent.filter(({ endpoint }) => endpoint.channels.includes(channel));
  const all: ChannelAudit[] = [];
  for (const channel of channels) {
    const expectedCount = postsFor(channel).length;
    const receipts = await until(`all posts of ${channel.chatId} have a final state`, async () => {
      const found = await manage.listReceipts(channel.id);
      const finished = found.filter(({ state }) => FINAL_STATES.includes(state)).length;
      if (finished < expectedCount) throw new Error(`${expectedCount - finished} of ${expectedCount} are not finished`);
      return found.map((receipt) => ({ ...receipt, text: textByPost.get(receipt.post_id) ?? `? ${receipt.post_id}` }));
    });
    all.push({ channel, receipts, wall: await control.readLedger({ channel: channel.chatId }) });
  }
  const wereInDoubt = await findInDoubt();
  for (const audit of all) checkChannel(audit, postsFor(audit.channel), wereInDoubt);
  const count = (wanted: Receipt['state']) =>
    all.flatMap(({ receipts }) => receipts).filter(({ state }) => state === wanted).length;
  return { published: count('published'), inDoubt: count('in_doubt') };
};

const checkChannel = (
  { channel, receipts, wall }: ChannelAudit,
  posts: readonly SentPost[],
  wereInDoubt: ReadonlySet<string>,
): void => {
  const where = `on ${channel.chatId}`;
  // Every post has one receipt, numbered without gaps.
  expect({ where, accepted: receipts.map(({ text }) => text).sort() }).toEqual({
    where,
    accepted: posts.map(({ key }) => key).sort(),
  });
  expect({ where, sequence: receipts.map(({ sequence }) => sequence) }).toEqual({
    where,
    sequence: receipts.map((_, i) => i + 1),
  });
  const unexpected = receipts.filter(({ state }) => state !== 'published' && state !== 'in_doubt');
  expect({ where, unexpected }).toEqual({ where, unexpected: [] });

  // The wall shows every post once; only posts in doubt may be missing.
  const texts = wall.map(({ text }) => text);
  const seen = new Set(texts);
  const expected = receipts.filter(({ state, text }) => state === 'published' || seen.has(text));
  expect({ where, wall: [...texts].sort() }).toEqual({ where, wall: expected.map(({ text }) => text).sort() });

  // The wall shows the order of acceptance.
  const late = new Set(receipts.filter((one) => wereInDoubt.has(one.publication_id)).map(({ text }) => text));
  expect({ where, wall: texts.filter((text) => !late.has(text)) }).toEqual({
    where,
    wall: expected.map(({ text }) => text).filter((text) => !late.has(text)),
  });

  // The receipts contain the ids of the messages that readers see.
  const ids = new Map(wall.map(({ text, message_id }) => [text, message_id]));
  const published = receipts.filter(({ state }) => state === 'published');
  expect({ where, ids: published.map(({ message_ids }) => message_ids) }).toEqual({
    where,
    ids: published.map(({ text }) => [ids.get(text)]),
  });

  // The posts of each client keep the order in which it sent them.
  const sequenceOf = new Map(receipts.map(({ text, sequence }) => [text, sequence]));
  for (const client of new Set(posts.map((one) => one.client))) {
    const sequences = posts.filter((one) => one.client === client).map(({ key }) => sequenceOf.get(key)!);
    expect({ where, client, sequences }).toEqual({ where, client, sequences: [...sequences].sort((a, b) => a - b) });
  }
};

/** Sends every post again under each of its keys (D-19) and expects 202 with the first answer byte for byte (L5). */
export const expectReplays = async (url: string, sent: readonly SentPost[]): Promise<void> => {
  for (const { endpoint, key, payload, answer } of sent) {
    const again = [await publish(url, endpoint, payload, { 'idempotency-key': key })];
    if (payload.external_id !== undefined) again.push(await publish(url, endpoint, payload));
    for (const { status, body } of again)
      expect({ key, status, body }).toEqual({ key, status: 202, body: answer.body });
  }
};

interface VerificationJob {
  readonly id: string;
  readonly state: string;
  readonly result: Readonly<Record<string, unknown>> | null;
}

/** Read models, each of which can be rebuilt from the log. */
export const PROJECTIONS = [
  'publish-schedule',
  'posts',
  'audit',
  'planned-posts',
  'discovery',
  'request-log',
  'webhook-deliveries',
  'activity',
  'media',
];

/** Rebuilds read models from the log, and expects the same rows as in the live ones (L4). */
export const expectRebuiltEqualsLive = async (
  manage: ManagementClient,
  projections: readonly string[] = PROJECTIONS,
): Promise<void> => {
  for (const projection of projections) {
    const { id } = await manage.post<VerificationJob>(`/projections/${projection}/verify`);
    const { state, result } = await until(`the verification of ${projection} has ended`, async () => {
      const job = await manage.get<VerificationJob>(`/jobs/${id}`);
      return job.state !== 'running' && job;
    });
    expect({ projection, state, ...result }).toMatchObject({
      projection,
      state: 'done',
      missing: 0,
      extra: 0,
      different: 0,
    });
  }
};
