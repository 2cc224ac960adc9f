import fc from 'fast-check';
import { anyTextWithEntities } from '../../test/support/payload-properties.js';
import type { Processing } from '../domain/project/processing.js';
import { endOf } from '../payload/entities.js';
import { findEntityProblems } from '../payload/read-lists.js';
import { renderMax } from '../platforms/max/render.js';
import { renderOk } from '../platforms/ok/render.js';
import type { PlatformPost, PublishError } from '../platforms/publisher.js';
import { renderTelegram } from '../platforms/telegram/render.js';
import { renderVk } from '../platforms/vk/render.js';
import { isVisible } from '../validation/text-measure.js';
import { type ProcessedPost, processPost } from './process-post.js';
import { parseMarkup, renderSpans } from './translation/markup.js';
import type { Translate } from './translation/translation.js';

const translation = { provider: 'libretranslate', url: 'https://t.example', source: 'ru', target: 'en' } as const;
const retrying = { translation: { ...translation, on_failure: 'retry' } } satisfies Processing;
const publishingOriginal = { translation: { ...translation, on_failure: 'publish_original' } } satisfies Processing;

/** Translates to upper case, like a service that keeps tags. */
const upperCasing: Translate = async (content) => {
  const read = parseMarkup(
    renderSpans(content).replace(/<[^>]*>|&\w+;|\p{Ll}/gu, (part) =>
      part.length > 1 && /^[<&]/.test(part) ? part : part.toUpperCase(),
    ),
    content,
  );
  return { kind: 'translated', ...read! };
};
const notExpected: Translate = async () => {
  throw new Error('no translation expected');
};
const error: PublishError = {
  code: 'translation_failed',
  category: 'network',
  source: 'gateway',
  message: 'The translation service is away.',
  platform_says: 'no',
};
const failing: Translate = async () => ({ kind: 'failed', error, afterMs: 5_000 });

const process = (processing: Processing, payload: Parameters<typeof processPost>[0], translate = notExpected) =>
  processPost(payload, processing, 'telegram', translate);
const postOf = async (result: Promise<ProcessedPost>): Promise<PlatformPost> => {
  const made = await result;
  if (made.kind !== 'post') throw new Error(made.kind);
  return made.post;
};

describe('the order of processing (D-28)', () => {
  const everything: Processing = {
    filters: [{ mode: 'exclude', words: ['АКЦИЯ'] }],
    footer: { marker: '---' },
    replacements: [{ from: 'кот', to: 'пёс --- ' }],
    ...retrying,
    signature: { text: 'Подпись', entities: [{ type: 'bold', offset: 0, length: 7 }] },
  };

  it('is filters, footer, replacements, translation, signature', async () => {
    const text = 'Это кот \n---\nакция!';
    expect(await process(everything, { text }, upperCasing)).toMatchObject({ kind: 'filtered' });
    const post = await postOf(process(everything, { text: text.replace('акция', 'реклама') }, upperCasing));
    // The footer is not searched for in inserted text. The signature is neither replaced nor translated.
    expect(post).toMatchObject({ text: 'ЭТО ПЁС ---', signature: everything.signature });
  });

  it('leaves a post unchanged without any settings', async () => {
    const payload = { text: 'a ', buttons: [[{ text: 'b', url: 'https://b.example' }]], is_advertisement: true };
    expect(await process({}, payload)).toEqual({
      kind: 'post',
      post: { text: 'a ', entities: [], media: [], buttons: payload.buttons, isAdvertisement: true },
      warnings: [],
    });
  });
});

describe('a translation that fails (D-28)', () => {
  it('publishes the original text with a warning if the project is set so', async () => {
    const made = await process({ ...publishingOriginal, signature: { text: 'S' } }, { text: 'мир' }, failing);
    expect(made).toMatchObject({ kind: 'post', post: { text: 'мир', signature: { text: 'S' } } });
    expect(made).toMatchObject({
      warnings: [
        {
          code: 'translation_failed',
          message: 'The translation service is away. It says: no The original text is published.',
        },
      ],
    });
  });

  it('makes the post wait if the project is set so', async () => {
    expect(await process(retrying, { text: 'мир' }, failing)).toEqual({ kind: 'wait', error, afterMs: 5_000 });
  });

  it('is not requested for an invisible text', async () => {
    const media = [{ type: 'photo', url: 'https://m.example/a.jpg' } as const];
    expect((await process(retrying, { text: ' \u200b', media })).kind).toBe('post');
  });

  it('warns about lost formatting', async () => {
    const losingFormatting: Translate = async () => ({ kind: 'translated', text: 'world', places: [[1, 0, 5]] });
    const entities = [
      { type: 'bold', offset: 0, length: 1 } as const,
      { type: 'italic', offset: 0, length: 3 } as const,
    ];
    expect(await process(retrying, { text: 'мир', entities }, losingFormatting)).toMatchObject({
      post: { text: 'world', entities: [{ type: 'italic', offset: 0, length: 5 }] },
      warnings: [
        {
          code: 'formatting_lost_in_translation',
          message: expect.stringMatching(/^The translation lost 1 formatted part:/),
        },
      ],
    });
  });
});

describe('a signature (D-28)', () => {
  const signature = { text: 'Acme', platforms: ['telegram' as const] };
  const media = [{ type: 'photo', url: 'https://m.example/a.jpg' } as const];

  it('is added below text or media, on its networks only', async () => {
    expect((await postOf(process({ signature }, { text: 'a\n\n' }))).text).toBe('a');
    expect((await postOf(process({ signature }, { media }))).signature).toEqual({ text: 'Acme', entities: [] });
    expect((await postOf(processPost({ text: 'a' }, { signature }, 'vk', notExpected))).signature).toBeUndefined();
  });

  it('is not added to buttons alone, nor to a post that was only a footer', async () => {
    const buttons = [[{ text: 'b', url: 'https://b.example' }]];
    expect((await postOf(process({ signature }, { buttons }))).signature).toBeUndefined();
    const footer = { marker: 'ad' };
    expect((await postOf(process({ signature, footer }, { text: 'ad here' }))).signature).toBeUndefined();
  });

  const long = { text: `${'word '.repeat(4_000)}.`, entities: [] };
  const renderers = { telegram: renderTelegram, vk: renderVk, max: renderMax, ok: renderOk };
  const channel = { id: 'tgt_1', address: { chat_id: '-1', group_id: '1' }, settings: {} };

  it.each(Object.entries(renderers))('is kept on %s: the text is cut shorter (D-23)', async (platform, render) => {
    const bold = { type: 'bold', offset: 0, length: 4 } as const;
    const own = { text: 'Acme & Co', entities: [bold] };
    const post = await postOf(processPost(long, { signature: own }, platform, notExpected));
    const { textAfterTrim, warnings } = render(post, channel);
    expect(textAfterTrim).toMatch(/ word…\n\nAcme & Co$/);
    expect(warnings.map(({ code }) => code)).toContain('text_trimmed');
    const sent = JSON.stringify(render({ ...post, text: 'Hi' }, channel).steps);
    if (platform === 'telegram') expect(sent).toContain('{"type":"bold","offset":4,"length":4}');
    if (platform === 'max') expect(sent).toContain('Hi\\n\\n<b>Acme</b> &amp; Co');
  });

  it.each(Object.entries(renderers))('is placed above the links on %s', async (_, render) => {
    const post: PlatformPost = {
      text: 'Hi',
      entities: [],
      buttons: [],
      isAdvertisement: false,
      media: [{ type: 'audio', url: 'https://m.example/a.mp3' }],
      signature: { text: 'Acme', entities: [] },
    };
    const results = { media: { media: [{ link: 'too large' }] }, 'upload-0': { link: 'too large' } };
    expect(render(post, channel, results).textAfterTrim).toBe('Hi\n\nAcme\n\nhttps://m.example/a.mp3');
  });

  it('is dropped with a warning if it does not fit at all', async () => {
    const post = {
      ...(await postOf(process({}, { text: 'Hi' }))),
      signature: { text: 'x'.repeat(5_001), entities: [] },
    };
    for (const render of [renderTelegram, renderMax, renderOk]) {
      const { textAfterTrim, warnings } = render(post, channel);
      expect(textAfterTrim).toBe('Hi');
      expect(warnings.map(({ code }) => code)).toEqual(['signature_dropped']);
    }
  });

  const rule = fc.record({
    from: fc.constantFrom('word', 'a', ' ', 'дом', '😀', 'e', '漢'),
    to: fc.constantFrom('', '\ue000', '\ue001🎈 e\u0301'),
    whole_word: fc.boolean(),
    ignore_case: fc.boolean(),
  });
  const anyProcessing = fc.record({
    footer: fc.constantFrom({ marker: 'дом' }, { pattern: '\\s+\\w+' }, { marker: '👨' }, undefined),
    replacements: fc.array(rule, { maxLength: 3 }),
    translation: fc.constantFrom(retrying.translation, undefined),
    signature: fc.constantFrom(
      { text: 'Acme 🎈', entities: [{ type: 'text_link', offset: 0, length: 4, url: 'https://a.example/' } as const] },
      undefined,
    ),
  });

  it('and every other step give a post that every network accepts, whatever the input', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTextWithEntities,
        anyProcessing,
        fc.constantFrom(1, 1, 100),
        async (one, processing, times) => {
          const text = one.text.repeat(times);
          const entities = one.entities.map((entity) => ({ ...entity, url: 'https://b.example/' }));
          const {
            text: made,
            entities: placed,
            signature,
          } = await postOf(process(processing, { text, entities }, upperCasing));
          expect(findEntityProblems(made, placed)).toEqual([]);
          expect(/\p{Cs}/u.test(made)).toBe(/\p{Cs}/u.test(text));
          // Every character comes from the text or from a rule.
          const known = (text + text.toUpperCase() + '\ue000\ue001🎈 e\u0301E\u0301').split('');
          const foreign = [...new Set(made)].filter((unit) => unit.split('').some((half) => !known.includes(half)));
          expect(foreign).toEqual([]);
          if (!processing.footer && processing.replacements.length === 0 && !processing.translation)
            expect(placed).toEqual(entities.filter((entity) => endOf(entity) <= made.length));

          const post: PlatformPost = {
            text: made,
            entities: placed,
            media: [],
            buttons: [],
            isAdvertisement: false,
            ...(signature && { signature }),
          };
          for (const [platform, render] of Object.entries(renderers)) {
            const { textAfterTrim, steps } = render(post, channel);
            expect(textAfterTrim.length).toBeLessThanOrEqual(
              { telegram: 4_096, max: 4_000, vk: 15_895, ok: 5_000 }[platform]!,
            );
            if (signature && isVisible(made)) {
              const below = platform === 'vk' || platform === 'ok' ? 'Acme (https://a.example/) 🎈' : 'Acme 🎈';
              expect(textAfterTrim.endsWith(below)).toBe(true);
            }
            if (platform !== 'telegram') continue;
            const sent = steps[0]?.request as { text: string; entities?: PlatformPost['entities'] } | undefined;
            expect(findEntityProblems(sent?.text ?? '', sent?.entities ?? [])).toEqual([]);
          }
        },
      ),
      { seed: 28, numRuns: 300 },
    );
  });
});
