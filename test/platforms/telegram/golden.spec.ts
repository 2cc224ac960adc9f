import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../../../src/kernel/ids.js';
import type { PlatformPost, Rendering, Step } from '../../../src/platforms/publisher.js';
import { createTelegramPublisher } from '../../../src/platforms/telegram/descriptor.js';
import type { LedgerEntry } from '../../../stand-ins/kit/ledger-entry.js';
import { startStandIn, TOKEN } from '../../stand-ins/telegram/stand-in.js';
import { mediaFolder } from '../media-files.js';
import { postOf, publishPost } from '../publish-post.js';

const FOLDER = new URL('./golden/', import.meta.url);
const channel = { id: 'tgt_1', address: { chat_id: '@harbour' }, settings: {} };

/** `results` are the results of the download where they differ from what the media's names suggest. */
interface Golden {
  readonly post: Partial<PlatformPost>;
  readonly results?: Readonly<Record<string, JsonObject>>;
  readonly rendering: Rendering;
}

const golden = readdirSync(FOLDER).map((name) => {
  const { post, results = {}, rendering } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Golden;
  return { name: name.replace(/\.json$/, ''), post: postOf(post), results, rendering };
});

/** Returns the expected messages of a step as readers see them. */
const expected = ({ request }: Step) => {
  const album = request['media'] as readonly JsonObject[] | undefined;
  return (album ?? [request]).map((item) => {
    const medium = ['photo', 'video', 'audio', 'document'].find((kind) => kind in item);
    return {
      text: item['text'] ?? item['caption'] ?? '',
      entities: item['entities'] ?? item['caption_entities'] ?? [],
      buttons: (item['reply_markup'] as JsonObject | undefined)?.['inline_keyboard'] ?? [],
      media: album ? [{ type: item['type'] }] : medium ? [{ type: medium }] : [],
      isReply: 'reply_parameters' in item,
    };
  });
};
const shown = ({ text, entities, buttons, media, reply_to }: LedgerEntry) => ({
  text,
  entities,
  buttons,
  media: media.map(({ type }) => ({ type })),
  isReply: reply_to !== null,
});

let telegram: Awaited<ReturnType<typeof startStandIn>>;
let files: Awaited<ReturnType<typeof mediaFolder>>;
let publisher: ReturnType<typeof createTelegramPublisher>;
beforeAll(async () => {
  telegram = await startStandIn();
  files = await mediaFolder();
  publisher = createTelegramPublisher({ apiUrl: telegram.url });
});
afterAll(async () => {
  await publisher.close();
  await telegram.stop();
  await files.remove();
});

describe.each(golden)('$name', ({ post, results, rendering }) => {
  it('is rendered as these exact calls', () => {
    expect(publisher.render(post, channel, results)).toEqual(rendering);
  });

  it('is accepted by the network, and is in the channel as it was sent', async () => {
    const paths = await Promise.all(post.media.map(({ url }) => files.make(new URL(url).pathname.slice(1))));
    const before = (await telegram.control.readLedger()).length;
    const { outcome, results: answered } = await publishPost(publisher, post, channel, {
      credentials: { bot_token: TOKEN },
      results,
      key: 'key',
      waits: {},
      media: files.lending(paths),
      signal: new AbortController().signal,
    });
    const visible = rendering.steps.filter((step) => step.visible);
    const entries = await telegram.control.readLedger({ after: before });
    expect(entries.map(shown)).toEqual(visible.flatMap(expected));
    expect(files.lent()).toBe(0);
    const last = visible.at(-1);
    if (!last) return expect(outcome).toBeNull();
    const ids = entries.slice(-expected(last).length).map(({ message_id }) => message_id);
    expect(outcome).toEqual({
      kind: 'done',
      result: { message_id: ids[0], chat_id: '@harbour' },
      messageIds: ids,
      urls: ids.map((id) => `https://t.me/harbour/${id}`),
    });
    const replied = entries.find(({ reply_to }) => reply_to !== null);
    if (replied) expect(replied.reply_to).toBe(answered[visible[0]?.name ?? '']?.['message_id']);
  });
});
