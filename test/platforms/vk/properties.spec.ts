import fc from 'fast-check';
import { ZERO_WIDTH_SPACE } from '../../../src/platforms/plain-text.js';
import { anyTextWithEntities } from '../../support/payload-properties.js';
import { CHANNEL, contextFor, post, startVk } from './vk-harness.js';

let vk: Awaited<ReturnType<typeof startVk>>;
/** Number of posts on the wall. */
let sent = 0;
beforeAll(async () => {
  vk = await startVk();
});
afterAll(() => vk.stop());

const mention = fc.constantFrom(
  '[id1|Pavel]',
  '@durov',
  '@durov (him)',
  '*id1 (x)',
  '*club5',
  '[club1|@x]',
  ' [x|y|z] ',
);

describe('the rendering of any post', () => {
  it('is accepted by VK, its words are visible, and none of them becomes a mention', async () => {
    const anyPost = fc.record({
      content: anyTextWithEntities,
      mentions: fc.array(mention, { maxLength: 3 }),
      url: fc.constantFrom(
        'https://example.com/',
        'tg://resolve?domain=x',
        'https://example.com/@a/[b',
        'https://example.com/?q=a,@user&z=*id1&f[a|b]=1',
      ),
      media: fc.array(fc.constant({ type: 'audio' as const, url: 'https://media.example/a.mp3' }), { maxLength: 10 }),
      repeat: fc.constantFrom(1, 1, 1, 300),
    });
    await fc.assert(
      fc.asyncProperty(anyPost, async ({ content, mentions, url, media, repeat }) => {
        const entities = content.entities.map((entity) => ({ ...entity, url }));
        const text = content.text.repeat(repeat) + mentions.join(' ');
        const { steps, textAfterTrim, trimmedChars, warnings } = vk.publisher.render(
          post({ text, entities, media }),
          CHANNEL,
        );
        expect(textAfterTrim.length).toBeLessThanOrEqual(15_895);
        expect(trimmedChars).toBeLessThanOrEqual(text.length);
        if (steps.length === 0) return expect(warnings[0]?.code).toBe('nothing_to_send');
        expect(await vk.publisher.send(steps[0]!, contextFor({ key: String(++sent) }))).toMatchObject({ kind: 'done' });
        const [entry] = await vk.control.readLedger({ after: sent - 1 });
        expect(entry).toMatchObject({ text: textAfterTrim, entities: [] });
        // An address keeps its meaning, even if it is percent-encoded.
        for (const [shown] of textAfterTrim.matchAll(/https:[^\s)]*/g))
          expect([url, ...media.map((one) => one.url)]).toContain(decodeURIComponent(shown));
        if (entities.length > 0) return;
        // Without formatting, only the breaks against mentions are inserted; the rest is the beginning of the text.
        const words = textAfterTrim.slice(
          0,
          -media.map((one) => one.url.length + 1).reduce((a, b) => a + b, 0) || undefined,
        );
        const own = words.replace(/…?\n?$/, '').replaceAll(ZERO_WIDTH_SPACE, '');
        expect(text.replaceAll(ZERO_WIDTH_SPACE, '').startsWith(own)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});
