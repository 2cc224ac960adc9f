// More than 20 s: sixty channels flood a chat, whose turns are then more than a minute away.
import { until } from '../../e2e/until.js';
import { GatewayHarness, type PublishingChannel } from './gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await GatewayHarness.start({ PACING: 'on' });
});
afterAll(() => harness.stop());

/** Token of the channels that the harness creates. */
const TOKEN = `1000:${'t'.repeat(35)}`;
/**
 * Number of calls with one token whose turns in a chat take two minutes (20 a minute), so that the last turn is more
 * than a minute away for another minute.
 */
const QUEUE = 45;

let tokens = 0;
const newToken = (): string => `${20_000 + ++tokens}:${'x'.repeat(35)}`;

/**
 * Creates channels for one chat with these tokens. @returns their ids, and a function that publishes on all of them and
 * returns the post's id
 */
const createFlood = async (ownerId: string, chat_id: string, tokensOfChannels: readonly string[]) => {
  const { gateway } = harness;
  const channels = [];
  for (const bot_token of tokensOfChannels) {
    const credentials = { bot_token, chat_id };
    const body = { owner_id: ownerId, platform: 'telegram', name: 'Flood', credentials };
    channels.push({ id: (await gateway.manage('POST', '/channels', body)).id });
  }
  const endpoint = await gateway.createEndpoint(ownerId, [await gateway.createProject(ownerId, channels)]);
  const publish = async (): Promise<string> => {
    const { status, body } = await endpoint.post('', { text: 'flood' });
    expect(status).toBe(200);
    return body.id;
  };
  return { ids: channels.map(({ id }) => id as string), publish };
};

/**
 * Publishes one post on many channels of one chat. Each of the first channels has its own token; the others share one.
 * @returns a function that reads the publications on the first channels
 */
const floodChat = async (...flood: Parameters<typeof createFlood>): Promise<() => Promise<Waiting[]>> => {
  const { ids, publish } = await createFlood(...flood);
  const [post, first] = [await publish(), ids.slice(0, 60 - QUEUE)];
  return async () => (await readPublications(post)).filter(({ target_id }) => first.includes(target_id));
};

const readTurns = async (chat: string): Promise<{ readonly slots: readonly Date[]; readonly isLate: boolean }[]> => {
  const text = `select slots, slots[cardinality(slots)] > clock_timestamp() + interval '1 minute' as "isLate"
    from ops_pace where starts_with(key, 'chat/telegram/') and strpos(key, $1) > 0`;
  return (await harness.gateway.pool.query(text, [`"${chat}"`])).rows;
};

/** Waits until a call to a chat has a turn more than a minute away. @returns that turn */
const waitForLateTurn = (chat: string): Promise<Date> =>
  until('a turn more than a minute away', async () =>
    (await readTurns(chat)).find(({ isLate }) => isLate)?.slots.at(-1),
  );

/** Publishes a post and returns the moment of its publication. */
const publishAt = async (channel: PublishingChannel): Promise<Date> => {
  const post = await channel.publish({ text: 'from the victim' });
  await channel.waitForState(post, 'published');
  const [shown] = (await harness.gateway.manage('GET', `/posts/${post}`)).publications;
  return new Date(shown.published_at);
};

interface Waiting {
  readonly id: string;
  readonly target_id: string;
  readonly state: string;
  readonly attempts: readonly unknown[];
  readonly waiting_for: null | {
    readonly rule: string;
    readonly until: string | null;
    readonly blocked_by: string | null;
  };
}

const readPublications = async (post: string): Promise<Waiting[]> =>
  (await harness.gateway.manage('GET', `/posts/${post}`)).publications;

describe('a chat’s pace belongs to an owner and a credential (D-68):', () => {
  it('60 channels of another owner with the same chat, whatever their tokens, take no turn of the victim', async () => {
    const victim = await harness.createChannel('telegram');
    await publishAt(victim); // the victim has used the chat before
    const others = Array.from({ length: 60 - QUEUE }, newToken);
    const known = Array.from({ length: QUEUE }, () => TOKEN); // worse than any guess: the victim's own token
    const readOthers = await floodChat(await harness.gateway.createOwner(), victim.chat, [...others, ...known]);
    const turn = await waitForLateTurn(victim.chat);
    expect((await publishAt(victim)).getTime()).toBeLessThan(turn.getTime());
    // Channels with their own tokens do not queue: each is sent at once, and the network answers.
    await until('only channels with one token wait', async () =>
      (await readOthers()).every(({ state }) => state === 'published'),
    );
  });

  it('60 channels of the owner itself with tokens that the network refuses take no turn of the good one', async () => {
    const owner_id = await harness.gateway.createOwner();
    const good = await harness.createChannel('telegram', { owner_id });
    const refused = newToken();
    const invalid = [...Array.from({ length: 60 - QUEUE }, newToken), ...Array.from({ length: QUEUE }, () => refused)];
    for (const token of new Set(invalid)) await good.network.request('POST', 'tokens', { token });
    const readOthers = await floodChat(owner_id, good.chat, invalid);
    const turn = await waitForLateTurn(good.chat);
    expect((await publishAt(good)).getTime()).toBeLessThan(turn.getTime());
    await until('each token was refused at once', async () =>
      (await readOthers()).every(({ attempts }) => attempts.length > 0),
    );
  });

  it('two channels of one owner with one chat and one token keep the pace together', async () => {
    const owner_id = await harness.gateway.createOwner();
    const first = await harness.createChannel('telegram', { owner_id });
    const second = await harness.createChannel('telegram', { owner_id, credentials: { chat_id: first.chat } });
    const channels = [first, second];
    const posts = await Promise.all(channels.map((channel) => channel.publish({ text: 'hello' })));
    for (const [index, channel] of channels.entries()) await channel.waitForState(posts[index]!, 'published');
    const budgets = await readTurns(first.chat);
    expect(budgets).toHaveLength(1);
    const [one, other] = budgets[0]!.slots;
    expect(other!.getTime() - one!.getTime()).toBeGreaterThanOrEqual(1_000);
  });
});

it('names the rule pace and the reserved time of what waits for its turn, and records no event of it', async () => {
  const { chat } = await harness.createChannel('telegram');
  const tokensOfChannels = Array.from({ length: QUEUE }, () => TOKEN);
  const { publish } = await createFlood(await harness.gateway.createOwner(), chat, tokensOfChannels);
  const [first, second] = [await publish(), await publish()];
  const turn = (await waitForLateTurn(chat)).getTime();
  const last = await until('the last one in line names its turn', async () =>
    (await readPublications(first)).find(({ waiting_for }) => Date.parse(waiting_for?.until ?? '') >= turn),
  );
  expect(last.waiting_for).toMatchObject({ rule: 'pace', event_id: null, blocked_by: null });
  expect(last.waiting_for).toMatchObject({ text: expect.stringContaining(`turn is at ${last.waiting_for!.until}`) });
  const behind = (await readPublications(second)).find(({ target_id }) => target_id === last.target_id);
  expect(behind!.waiting_for).toMatchObject({
    rule: 'earlier_publication',
    until: last.waiting_for!.until,
    blocked_by: last.id,
    figures: { first_sequence: 1, blocked_by_rule: 'pace' },
  });
  expect(await harness.gateway.readEvents(`publication-${last.id}`)).toEqual([]);
});
