import fc from 'fast-check';
import type { JsonObject } from '../../src/kernel/ids.js';
import type { TextWithEntities } from '../../src/payload/entities.js';
import type { Entity } from '../../src/payload/payload.js';
import { findEntityProblems } from '../../src/payload/read-lists.js';
import type { PlatformPost, Publisher, Rendering, SendContext } from '../../src/platforms/publisher.js';
import { countCharacters, isVisible } from '../../src/validation/text-measure.js';
import { parseHtml } from '../../stand-ins/max/html-text.js';
import { anyTextWithEntities } from '../support/payload-properties.js';
import { postOf } from './publish-post.js';
import { type NetworkName, NETWORKS } from './wire/networks.js';

const RUNS = { numRuns: process.env['TEST_LONG'] ? 20_000 : 1_000, seed: 20_261_121 };

const publishers = Object.fromEntries(
  Object.entries(NETWORKS).map(([name, { publisher }]) => [name, publisher('http://127.0.0.1:9')]),
) as Readonly<Record<NetworkName, Publisher & { close(): Promise<void> }>>;
afterAll(() => Promise.all(Object.values(publishers).map((publisher) => publisher.close())));

const anyUrl = fc.constantFrom(
  'https://example.com/?a=1&b="2"',
  'https://example.com/<c>',
  'tg://resolve?domain=x',
  // Longer than the range in which a cut searches for the end of a word.
  `https://example.com/${'long/'.repeat(30)}`,
);

/** A text that may exceed every limit by far, or end close to one, with formatting anywhere in it. */
const anyContent: fc.Arbitrary<TextWithEntities> = fc
  .record({
    content: anyTextWithEntities,
    url: anyUrl,
    before: fc.constantFrom(0, 0, 900, 1_000, 3_900, 3_990, 4_080, 4_980, 15_800, 15_890),
    word: fc.constantFrom('tide ', 'x', '👍', 'שלום '),
    after: fc.constantFrom(0, 0, 30, 20_000),
  })
  .map(({ content, url, before, word, after }) => {
    const filling = (units: number): string => word.repeat(Math.ceil(units / word.length)).slice(0, units);
    const head = filling(before);
    const entities = content.entities.map((entity) => ({
      ...entity,
      offset: entity.offset + head.length,
      ...(entity.type === 'text_link' && { url }),
      ...(entity.type === 'custom_emoji' && { custom_emoji_id: '5368324170671202286' }),
    }));
    return { text: head + content.text + filling(after), entities };
  });

const anyButton = fc.record({ text: fc.constantFrom('Tides', '😀', 'שלום'), url: anyUrl });

/** A post with some media that cannot be sent and become links. */
const anyPost = fc.record({
  content: anyContent,
  media: fc.array(fc.record({ type: fc.constantFrom('photo', 'video', 'audio'), isLinked: fc.boolean() }), {
    maxLength: 10,
  }),
  buttons: fc.array(fc.array(anyButton, { maxLength: 3 }), { maxLength: 3 }),
});

const mediaOf = (media: readonly { readonly type: 'photo' | 'video' | 'audio' }[]): PlatformPost['media'] =>
  media.map(({ type }, i) => ({ type, url: `https://media.example/${type}-${i}` }));

interface AnyMedium {
  readonly type: 'photo' | 'video' | 'audio';
  readonly isLinked: boolean;
}

/** Returns the results of upload steps for media that cannot be sent, by name of the step. */
const unsentResults = (media: readonly AnyMedium[], nameOf: (index: number) => string, result: JsonObject) =>
  Object.fromEntries(media.flatMap(({ isLinked }, i) => (isLinked ? [[nameOf(i), result]] : [])));

/** Checks a network's rendering of any post; `links` are the URLs of media that become links. */
const forAnyPost = (
  name: NetworkName,
  results: (media: readonly AnyMedium[]) => SendContext['results'],
  holds: (rendering: Rendering, post: PlatformPost, links: readonly string[]) => void,
): void =>
  void fc.assert(
    fc.property(anyPost, ({ content, media, buttons }) => {
      const post = postOf({ ...content, media: mediaOf(media), buttons });
      const channel = { id: 'tgt_1', address: NETWORKS[name].address, settings: {} };
      const acceptsAudio = name === 'telegram' || name === 'max';
      const links = post.media.filter(({ type }, i) => media[i]?.isLinked || (type === 'audio' && !acceptsAudio));
      holds(
        publishers[name].render(post, channel, results(media)),
        post,
        links.map(({ url }) => url),
      );
    }),
    RUNS,
  );

/**
 * Expects the visible text to be the beginning of the converted text, `…` if it is trimmed (D-23), and the lines.
 * `converted` is the whole text in the network's form. Returns how much of it is kept.
 */
const expectPrefix = (shown: string, converted: string, lines: readonly string[], isCut: boolean): number => {
  const tail = lines.join('\n');
  const own = tail === '' ? shown : shown === tail ? '' : shown.slice(0, -`\n\n${tail}`.length);
  expect(shown).toBe(own === '' || tail === '' ? own + tail : `${own}\n\n${tail}`);
  if (own === '') {
    expect(isVisible(converted)).toBe(false);
    return 0;
  }
  if (!isCut) {
    expect(own).toBe(converted);
    return converted.length;
  }
  expect(own.endsWith('…')).toBe(true);
  const kept = own.slice(0, -1);
  expect(converted.startsWith(kept)).toBe(true);
  return kept.length;
};

/** Returns the end of the cluster around an offset; the offset itself if it is between two clusters. */
const clusterEnd = (text: string, at: number): number => {
  const cluster = new Intl.Segmenter('und').segment(text).containing(at);
  return cluster && cluster.index < at ? cluster.index + cluster.segment.length : at;
};

/** Expects that the cut is not inside a cluster, nor after white space that is outside a cluster. */
const expectCleanCut = (converted: string, kept: number): void => {
  expect(clusterEnd(converted, kept)).toBe(kept);
  expect(clusterEnd(converted, converted.slice(0, kept).trimEnd().length)).toBe(kept);
};

/** Expects each entity to be one of the original entities, on the same words, trimmed with the text. */
const expectOnTheSameWords = (after: readonly Entity[], before: readonly Entity[], keptUnits: number): void => {
  for (const { type, offset, length } of after) {
    const original = before.find(
      (one) => one.type === type && one.offset === offset && Math.min(one.length, keptUnits - offset) === length,
    );
    expect(original).toBeDefined();
  }
};

/** Returns a text with the address of each link behind its words, and the ranges of these addresses. */
const withAddresses = ({ text, entities }: TextWithEntities) => {
  const links = entities
    .filter(({ type, offset, length, url }) => type === 'text_link' && url !== text.slice(offset, offset + length))
    .map(({ offset, length, url }) => ({ end: clusterEnd(text, offset + length), url }))
    .sort((a, b) => a.end - b.end);
  let converted = '';
  let at = 0;
  const addresses = links.map(({ end, url }): readonly [start: number, end: number] => {
    converted += text.slice(at, (at = end));
    const start = converted.length;
    converted += ` (${url})`;
    return [start, converted.length];
  });
  return { converted: converted + text.slice(at), addresses };
};

/** True if a warning reports dropped words or addresses: they are never dropped silently (D-22). */
const reportsCut = (warnings: Rendering['warnings']): boolean =>
  warnings.some(({ code }) => code === 'text_trimmed' || code === 'links_dropped');

/** Like {@link expectPrefix}, for text with whole links behind their words and zero-width spaces against mentions. */
const expectPlain = (shown: string, post: PlatformPost, lines: readonly string[], isCut: boolean): void => {
  const { converted, addresses } = withAddresses(post);
  const bare = (text: string): string => text.replaceAll('\u200b', '');
  const kept = expectPrefix(bare(shown), bare(converted), lines, isCut);
  if (bare(converted) !== converted) return; // original and inserted zero-width spaces cannot be distinguished
  for (const [start, end] of addresses) expect(kept <= start || kept >= end).toBe(true);
  if (isCut && kept > 0) expectCleanCut(converted, kept);
};

describe('the rendering of any post', () => {
  it('for Telegram stays within 4096 and 1024 characters by either count, with every entity on its words', () =>
    forAnyPost(
      'telegram',
      (media) => ({
        media: { media: media.map(({ isLinked }) => (isLinked ? { link: 'media_too_large' } : { kind: 'photo' })) },
      }),
      ({ steps, textAfterTrim, trimmedChars, warnings }, post, links) => {
        const isOnlyButtons = warnings.some(({ code }) => code === 'text_added');
        // Telegram's form: no \r, and spaces instead of control characters.
        const cleaned = post.text.replaceAll('\r', '').replace(/[\0-\t\v-\x1f]/g, ' ');
        const moved = (at: number): number => post.text.slice(0, at).replaceAll('\r', '').length;
        const original = post.entities.map((entity) => {
          const offset = moved(entity.offset);
          return { ...entity, offset, length: moved(entity.offset + entity.length) - offset };
        });
        const kept = isOnlyButtons ? 0 : expectPrefix(textAfterTrim, cleaned, links, trimmedChars > 0);
        if (trimmedChars > 0) {
          expectCleanCut(cleaned, kept);
          expect(moved(post.text.length - trimmedChars)).toBe(kept);
        }
        const requests = steps.flatMap(({ request }) => [
          request,
          ...((request['media'] ?? []) as readonly JsonObject[]),
        ]);
        for (const { text, caption, entities, caption_entities } of requests) {
          const content = (text ?? caption) as string | undefined;
          if (content === undefined) continue;
          const limit = text === undefined ? 1_024 : 4_096;
          expect(content.length).toBeLessThanOrEqual(limit);
          expect(countCharacters(content)).toBeLessThanOrEqual(limit);
          expect(content).toBe(textAfterTrim);
          const placed = (entities ?? caption_entities ?? []) as unknown as readonly Entity[];
          expect(findEntityProblems(content, placed)).toEqual([]);
          expectOnTheSameWords(placed, original, kept);
        }
      },
    ));

  it('for MAX stays within 4000 characters of the raw field, and parses to the same text with every entity on its words', () =>
    forAnyPost(
      'max',
      (media) => unsentResults(media, (i) => `upload-${i}`, { link: 'media_too_large' }),
      ({ steps, textAfterTrim, trimmedChars, warnings }, post, links) => {
        const isOnlyButtons = warnings.some(({ code }) => code === 'text_added');
        const kept = isOnlyButtons ? 0 : expectPrefix(textAfterTrim, post.text, links, trimmedChars > 0);
        if (trimmedChars > 0) expectCleanCut(post.text, kept);
        const { text, format } = steps.find(({ name }) => name === 'message')?.request ?? {};
        if (typeof text !== 'string') return expect(textAfterTrim).toBe('');
        expect(text.length).toBeLessThanOrEqual(4_000);
        const read = format === 'html' ? parseHtml(text) : { text, entities: [] };
        expect(read.text).toBe(textAfterTrim);
        const placed = read.entities as unknown as readonly Entity[];
        expect(findEntityProblems(read.text, placed)).toEqual([]);
        expectOnTheSameWords(placed, post.entities, kept);
      },
    ));

  it('for VK stays within 15895 characters, with whole addresses behind their words', () =>
    forAnyPost(
      'vk',
      (media) => unsentResults(media, (i) => `media-${i + 1}`, { unsent: 'no' }),
      ({ steps, textAfterTrim, warnings }, post, links) => {
        expect(textAfterTrim.length).toBeLessThanOrEqual(15_895);
        expect(steps.at(-1)?.request['message'] ?? '').toBe(textAfterTrim);
        expectPlain(textAfterTrim, post, links, reportsCut(warnings));
      },
    ));

  it('for OK stays within 5000 characters, with whole addresses behind their words and buttons as lines below', () =>
    forAnyPost(
      'ok',
      (media) => unsentResults(media, (i) => `media-${i + 1}`, { unsent: 'no' }),
      ({ textAfterTrim, warnings }, post, links) => {
        expect(textAfterTrim.length).toBeLessThanOrEqual(5_000);
        const buttons = post.buttons.flat().map(({ text, url }) => `${text}: ${url}`);
        expectPlain(textAfterTrim, post, [...links, ...buttons], reportsCut(warnings));
      },
    ));
});
