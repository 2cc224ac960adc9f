import { readFileSync, readdirSync } from 'node:fs';
import type { PlatformPost, Rendering } from '../../../src/platforms/publisher.js';
import { createTelegramPublisher } from '../../../src/platforms/telegram/telegram-publisher.js';
import { noMedia } from '../media-files.js';
import { TOKEN, startStandIn } from '../../stand-ins/telegram/stand-in.js';

const FOLDER = new URL('./golden/', import.meta.url);
const EMPTY: PlatformPost = { text: '', entities: [], media: [], buttons: [], isAdvertisement: false };
const channel = { id: 'tgt_1', address: { chat_id: '@harbour' }, settings: {} };

const golden = readdirSync(FOLDER).map((name) => {
  const content = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as {
    post: Partial<PlatformPost>;
    rendering: Rendering;
  };
  return { name: name.replace(/\.json$/, ''), post: { ...EMPTY, ...content.post }, rendering: content.rendering };
});

let telegram: Awaited<ReturnType<typeof startStandIn>>;
let publisher: ReturnType<typeof createTelegramPublisher>;
beforeAll(async () => {
  telegram = await startStandIn();
  publisher = createTelegramPublisher({ apiUrl: telegram.url });
});
afterAll(async () => {
  await publisher.close();
  await telegram.stop();
});

describe.each(golden)('$name', ({ post, rendering }) => {
  it('is rendered as these exact calls', () => {
    expect(publisher.render(post, channel)).toEqual(rendering);
  });

  it('is accepted by the network, and stands in the channel as it was sent', async () => {
    for (const step of rendering.steps) {
      const outcome = await publisher.send(step, {
        credentials: { bot_token: TOKEN },
        channel,
        results: {},
        key: 'key',
        attempt: 1,
        media: noMedia,
        signal: new AbortController().signal,
      });
      const [entry] = (await telegram.control.ledger()).slice(-1);
      expect(outcome).toEqual({
        kind: 'done',
        result: { message_id: entry?.message_id },
        messageIds: [entry?.message_id],
        urls: [`https://t.me/harbour/${entry?.message_id}`],
      });
      expect(entry).toMatchObject({
        text: step.request['text'],
        entities: step.request['entities'] ?? [],
        buttons: (step.request['reply_markup'] as { inline_keyboard?: unknown } | undefined)?.inline_keyboard ?? [],
      });
    }
  });
});
