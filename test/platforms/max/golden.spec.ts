import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../../../src/kernel/ids.js';
import { createMaxPublisher } from '../../../src/platforms/max/descriptor.js';
import type { PlatformPost, Rendering } from '../../../src/platforms/publisher.js';
import { CHAT, startStandIn, TOKEN } from '../../stand-ins/max/stand-in.js';
import { mediaFolder } from '../media-files.js';
import { postOf, publishPost } from '../publish-post.js';

const FOLDER = new URL('./golden/', import.meta.url);
const channel = { id: 'tgt_1', address: { chat_id: CHAT }, settings: {} };

/** `results` are the results of uploads for media that cannot be sent. */
interface Golden {
  readonly post: Partial<PlatformPost>;
  readonly results?: Readonly<Record<string, JsonObject>>;
  readonly rendering: Rendering;
}

const golden = readdirSync(FOLDER).map((name) => {
  const { post, results = {}, rendering } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Golden;
  return { name: name.replace(/\.json$/, ''), post: postOf(post), results, rendering };
});

let max: Awaited<ReturnType<typeof startStandIn>>;
let files: Awaited<ReturnType<typeof mediaFolder>>;
let publisher: ReturnType<typeof createMaxPublisher>;
beforeAll(async () => {
  max = await startStandIn();
  files = await mediaFolder();
  publisher = createMaxPublisher({ apiUrl: max.url });
});
afterAll(async () => {
  await publisher.close();
  await max.stop();
  await files.remove();
});

describe.each(golden)('$name', ({ post, results, rendering }) => {
  it('is rendered as these exact calls', () => {
    expect(publisher.render(post, channel, results)).toEqual(rendering);
  });

  it('is accepted by the network, and is in the channel as intended', async () => {
    const paths = await Promise.all(post.media.map(({ url }) => files.make(new URL(url).pathname.slice(1).slice(-20))));
    const before = (await max.control.readLedger()).length;
    const { outcome } = await publishPost(publisher, post, channel, {
      credentials: { access_token: TOKEN },
      results,
      key: 'key',
      waits: {},
      media: files.lending(paths),
      signal: new AbortController().signal,
    });
    const visible = rendering.steps.filter((step) => step.visible);
    expect(outcome?.kind).toBe(visible.length > 0 ? 'done' : undefined);
    const entries = await max.control.readLedger({ after: before });
    expect(entries).toHaveLength(visible.length);
    const attachments = visible.map(({ request }) => (request['attachments'] ?? []) as readonly { type: string }[]);
    expect(entries.map(({ media }) => media.map(({ type }) => type.replace('photo', 'image')))).toEqual(
      attachments.map((all) => all.map(({ type }) => type).filter((type) => type !== 'inline_keyboard')),
    );
    if (visible[0]?.request['text'] !== undefined) expect(entries[0]?.text).toBe(rendering.textAfterTrim);
    expect(files.lent()).toBe(0);
  });
});
