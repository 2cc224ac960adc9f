import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../../../src/kernel/ids.js';
import type { PlatformChannel, PlatformPost, Rendering, Step } from '../../../src/platforms/publisher.js';
import { CHANNEL, contextFor, post, startOk } from './ok-harness.js';

const FOLDER = new URL('./golden/', import.meta.url);
interface Golden {
  /** Settings of the channel, if it has any. */
  readonly settings?: PlatformChannel['settings'];
  readonly post: Partial<PlatformPost>;
  readonly rendering: Rendering;
}
const golden = readdirSync(FOLDER).map((file) => {
  const content = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Golden;
  return {
    name: file.replace(/\.json$/, ''),
    of: post({ text: '', ...content.post }),
    channel: { ...CHANNEL, settings: content.settings ?? {} },
    rendering: content.rendering,
  };
});

let ok: Awaited<ReturnType<typeof startOk>>;
beforeAll(async () => {
  ok = await startOk();
});
afterAll(() => ok.stop());

describe.each(golden)('$name', ({ of, channel, rendering }) => {
  it('is rendered as these exact calls', () => {
    expect(ok.publisher.render(of, channel)).toEqual(rendering);
  });

  it('is accepted by the network without its media, and is in the group word for word', async () => {
    const [last] = rendering.steps.slice(-1);
    if (!last || rendering.textAfterTrim === '') return expect(textOf(last)).toEqual([]);
    const attachment = { media: textOf(last), onBehalfOfGroup: 'true' };
    const outcome = await ok.publisher.send({ ...last, request: { ...last.request, attachment } }, contextFor());
    expect(outcome).toMatchObject({ kind: 'done' });
    expect((await ok.control.readLedger()).at(-1)).toMatchObject({ text: rendering.textAfterTrim });
  });
});

/** Returns the text blocks of a topic. */
const textOf = (step: Step | undefined): JsonObject[] => {
  const { media = [] } = (step?.request['attachment'] ?? {}) as { readonly media?: readonly JsonObject[] };
  return media.filter(({ type }) => type === 'text');
};
