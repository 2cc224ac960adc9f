import fc from 'fast-check';
import { anyTextWithEntities } from '../../support/payload-properties.js';
import { CHANNEL, contextFor, post, startOk } from './ok-harness.js';

let ok: Awaited<ReturnType<typeof startOk>>;
beforeAll(async () => {
  ok = await startOk();
});
afterAll(() => ok.stop());

describe('the rendering of any post', () => {
  it("is accepted by OK within the channel's limit, and its words are visible", async () => {
    const url = fc.constantFrom('https://example.com/', 'tg://resolve?domain=x');
    const button = fc.record({ text: fc.constantFrom('Tides', '  two\nlines ', '😀'), url });
    const anyPost = fc.record({
      content: anyTextWithEntities,
      url,
      buttons: fc.array(fc.array(button, { maxLength: 8 }), { maxLength: 8 }),
      media: fc.array(fc.constant({ type: 'audio' as const, url: 'https://media.example/a.mp3' }), { maxLength: 10 }),
      settings: fc.record({
        buttons: fc.constantFrom('link', 'drop'),
        text_limit: fc.integer({ min: 40, max: 8_000 }),
      }),
      repeat: fc.constantFrom(1, 1, 60),
    });
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(anyPost, async ({ content, url: link, buttons, media, settings, repeat }) => {
        const entities = content.entities.map((entity) => ({ ...entity, url: link }));
        const text = content.text.repeat(repeat);
        const rendering = ok.publisher.render(post({ text, entities, buttons, media }), { ...CHANNEL, settings });
        const { steps, textAfterTrim, trimmedChars, warnings } = rendering;
        expect(textAfterTrim.length).toBeLessThanOrEqual(settings.text_limit);
        expect(trimmedChars).toBeLessThanOrEqual(text.length);
        if (steps.length === 0) return expect(warnings[0]?.code).toBe('nothing_to_send');
        expect(await ok.publisher.send(steps[0]!, contextFor())).toMatchObject({ kind: 'done' });
        const [entry] = await ok.control.readLedger({ after: sent++ });
        expect(entry?.text).toBe(textAfterTrim);
        const isBare =
          entities.length + media.length === 0 && (buttons.flat().length === 0 || settings.buttons === 'drop');
        if (isBare) expect(text.startsWith(trimmedChars > 0 ? textAfterTrim.slice(0, -1) : textAfterTrim)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});
