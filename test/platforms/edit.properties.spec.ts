import fc from 'fast-check';
import type { JsonObject } from '../../src/kernel/ids.js';
import type { EditRendering, PlatformPost, PublishedPost, Publisher, Step } from '../../src/platforms/publisher.js';
import { postOf } from './publish-post.js';
import { type NetworkName, NETWORKS } from './wire/networks.js';

const RUNS = { numRuns: process.env['TEST_LONG'] ? 20_000 : 1_000, seed: 20_261_129 };
const NAMES = ['telegram', 'vk', 'max'] as const satisfies readonly NetworkName[];
const publishers = Object.fromEntries(
  NAMES.map((name) => [name, NETWORKS[name].publisher('http://127.0.0.1:9')]),
) as Readonly<Record<(typeof NAMES)[number], Publisher & { close(): Promise<void> }>>;
afterAll(() => Promise.all(Object.values(publishers).map((publisher) => publisher.close())));

const anyMedium = fc
  .record({ type: fc.constantFrom('photo', 'video', 'audio'), n: fc.nat(3), end: fc.constantFrom('', '.mov', '.ogg') })
  .map(({ type, n, end }) => ({ type, url: `https://media.example/${type}-${n}${type === 'photo' ? '' : end}` }));

const anyPost = fc
  .record({
    text: fc.constantFrom('', 'Ahoy', 'x'.repeat(1_000), 'x'.repeat(1_100), 'word '.repeat(4_000)),
    media: fc.array(anyMedium, { maxLength: 4 }),
    buttons: fc.constantFrom([], [[{ text: 'Tides', url: 'https://example.com/' }]]),
  })
  .map((content): PlatformPost => postOf(content));

/** Whether each upload and each message with media is accepted, in turn. */
const anyLuck = fc.infiniteStream(fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)));

/** Returns the result that a step could have on its network, and how many messages it sends. */
const resultOf = (step: Step, isLucky: boolean, next: () => number): { result: JsonObject; messages: number } => {
  const { name, visible, method, request } = step;
  if (!visible) {
    const types = request['types'] as readonly string[] | undefined;
    const urls = request['urls'] as readonly string[] | undefined;
    const kept = request['kept'] as readonly JsonObject[] | undefined;
    const media = types?.map((type, i): JsonObject => {
      if (kept?.[i]) return kept[i];
      if (!isLucky) return { link: 'media_too_large' };
      return { kind: type !== 'photo' && /\.(mov|ogg)$/.test(urls![i]!) ? 'document' : type };
    });
    if (media) return { result: { media }, messages: 0 };
    const uploaded = { attachment: `photo1_${next()}_key`, payload: { token: `token-${next()}` } };
    return { result: isLucky ? uploaded : { unsent: 'words', link: 'words' }, messages: 0 };
  }
  const attachments = (request['attachments'] ?? []) as readonly JsonObject[];
  const hasMedia = method.startsWith('send')
    ? method !== 'sendMessage'
    : attachments.some(({ type }) => type !== 'inline_keyboard');
  if (!isLucky && hasMedia && method !== 'wall.post') return { result: { refused: 'words' }, messages: 0 };
  const items = request['media'] as readonly unknown[] | undefined;
  const result = { message_id: String(next()), chat_id: '@harbour', mid: `mid-${name}`, post_id: '1' };
  return { result, messages: items?.length ?? 1 };
};

interface World {
  readonly publisher: Publisher;
  readonly channel: {
    readonly id: string;
    readonly address: Readonly<Record<string, string>>;
    readonly settings: object;
  };
  readonly luck: Iterator<boolean>;
}

const hasAudio = ({ attachments }: JsonObject): boolean =>
  ((attachments ?? []) as readonly JsonObject[]).some(({ type }) => type === 'audio');

/** Publishes a post without a network; null if nothing of it can be published. */
const publish = (
  { publisher, channel, luck }: World,
  post: PlatformPost,
  audio: Map<string, boolean>,
): PublishedPost | null => {
  const results: Record<string, JsonObject> = {};
  const messageIds: string[] = [];
  let count = 0;
  for (;;) {
    const { steps } = publisher.render(post, channel as never, results);
    const step = steps.find(({ name }) => !(name in results));
    if (!step) break;
    const { result, messages } = resultOf(step, luck.next().value as boolean, () => ++count);
    for (let i = 0; i < messages; i++) messageIds.push(String(messageIds.length + 1));
    const id = messageIds.at(-1) ?? '';
    if (messages > 0) audio.set(id, hasAudio(step.request));
    results[step.name] = messages > 0 ? { ...result, mid: id } : result;
  }
  const { steps } = publisher.render(post, channel as never, results);
  const last = steps.findLast(({ visible }) => visible);
  if (!last) return null;
  const { [last.name]: _, ...kept } = results;
  return { post, results: kept, messageIds };
};

/** Edits a post without a network; returns the code of a refusal, or the last plan. */
const edit = (
  { publisher, channel, luck }: World,
  published: PublishedPost,
  post: PlatformPost,
): string | { readonly plan: EditRendering; readonly published: PublishedPost } => {
  const results: Record<string, JsonObject> = {};
  let count = 1_000;
  for (;;) {
    const plan = publisher.renderEdit!(published, post, channel as never, results);
    if ('refusal' in plan) return plan.refusal.code;
    const step = plan.steps.find(({ name, messageId }) => messageId === null && !(name in results));
    if (!step) return { plan, published: { ...published, post, results: plan.resultsAfter } };
    results[step.name] = resultOf(step, luck.next().value as boolean, () => ++count).result;
  }
};

const REFUSALS = new Set([
  ...['nothing_left', 'text_removed', 'text_added', 'caption_too_long'],
  ...['album_buttons', 'media_added', 'media_count', 'media_kind'],
]);

describe.each(NAMES)('edits on %s', (name) => {
  const channel = { id: 'tgt_1', address: NETWORKS[name].address, settings: {} };

  it('change the messages that are there, and nothing twice', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyPost, fc.array(anyPost, { minLength: 1, maxLength: 3 }), anyLuck, (first, others, luck) => {
        const world: World = { publisher: publishers[name], channel, luck: luck[Symbol.iterator]() };
        const audio = new Map<string, boolean>();
        let published = publish(world, first, audio);
        if (!published) return;
        const same = edit(world, published, first);
        expect(typeof same === 'string' ? same : same.plan.steps).toEqual([]);
        for (const post of others) {
          const edited = edit(world, published, post);
          if (typeof edited === 'string') {
            seen.add(edited);
            continue;
          }
          const { plan } = edited;
          const ids = plan.steps.flatMap(({ messageId }) => messageId ?? []);
          expect(published.messageIds).toEqual(expect.arrayContaining(ids));
          expect(new Set(ids).size).toBe(ids.length);
          if (name === 'max')
            for (const { messageId, request } of plan.steps)
              if (messageId !== null) expect(audio.get(messageId)).toBe(hasAudio(request));
          expect(new Set(plan.steps.map((step) => step.name)).size).toBe(plan.steps.length);
          published = edited.published;
          // Once more: nothing differs, and the messages are still the same.
          const again = edit(world, published, post);
          expect(typeof again === 'string' ? again : again.plan.steps).toEqual([]);
          expect(world.publisher.messageToPin!(published, channel)).toBeDefined();
        }
      }),
      RUNS,
    );
    expect([...seen].filter((code) => !REFUSALS.has(code))).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
  });
});
