import { readdirSync, readFileSync } from 'node:fs';
import type { PlatformPost, Rendering } from '../../../src/platforms/publisher.js';
import { CHANNEL, contextFor, post, startVk } from './vk-harness.js';

const FOLDER = new URL('./golden/', import.meta.url);
interface Golden {
  readonly post: Partial<PlatformPost>;
  readonly rendering: Rendering;
}
const golden = readdirSync(FOLDER).map((file) => {
  const content = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Golden;
  return { name: file.replace(/\.json$/, ''), of: post({ text: '', ...content.post }), rendering: content.rendering };
});

let vk: Awaited<ReturnType<typeof startVk>>;
beforeAll(async () => {
  vk = await startVk();
});
afterAll(() => vk.stop());

describe.each(golden)('$name', ({ name, of, rendering }) => {
  it('is rendered as these exact calls', () => {
    expect(vk.publisher.render(of, CHANNEL)).toEqual(rendering);
  });

  it('is accepted by the network without its media, and is on the wall word for word', async () => {
    const [last] = rendering.steps.slice(-1);
    if (!last?.request['message']) return expect(rendering.textAfterTrim).toBe('');
    const { attachments: _, ...request } = last.request;
    const outcome = await vk.publisher.send({ ...last, request }, contextFor({ key: name }));
    expect(outcome).toMatchObject({ kind: 'done' });
    expect((await vk.control.readLedger()).at(-1)).toMatchObject({ text: rendering.textAfterTrim, entities: [] });
  });
});
