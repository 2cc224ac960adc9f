import type { JsonObject } from '../../../src/kernel/ids.js';
import { createOkPublisher } from '../../../src/platforms/ok/descriptor.js';
import type { PlatformPost, Publisher, SendContext, StepOutcome } from '../../../src/platforms/publisher.js';
import { APPLICATION, startStandIn, TOKEN } from '../../stand-ins/ok/stand-in.js';

export const CHANNEL = { id: 'tgt_1', address: { group_id: '70' }, settings: {} };

export const post = (more: Partial<PlatformPost> = {}): PlatformPost => ({
  text: 'Ahoy',
  entities: [],
  media: [],
  buttons: [],
  isAdvertisement: false,
  ...more,
});

export const contextFor = (more: Partial<SendContext> = {}): SendContext => ({
  credentials: { ...APPLICATION, access_token: TOKEN },
  channel: CHANNEL,
  results: {},
  key: 'pub_1',
  waits: {},
  media: async () => ({ code: 'no_media', category: 'internal', source: 'gateway', message: 'No file was expected.' }),
  signal: new AbortController().signal,
  ...more,
});

/** Publishes a post as the saga does: step by step, rendered again with the result of each step. */
export const publish = async (
  publisher: Publisher,
  content: PlatformPost,
  context: SendContext,
): Promise<{ readonly outcome: StepOutcome | null; readonly results: Readonly<Record<string, JsonObject>> }> => {
  const results: Record<string, JsonObject> = {};
  for (;;) {
    const next = publisher.render(content, context.channel, results).steps.find(({ name }) => !(name in results));
    if (!next) return { outcome: null, results };
    const outcome = await publisher.send(next, { ...context, results });
    if (outcome.kind !== 'done' || next.visible) return { outcome, results };
    results[next.name] = outcome.result;
  }
};

/** Starts a stand-in and a publisher that calls it. */
export const startOk = async () => {
  const ok = await startStandIn();
  const publisher = createOkPublisher({ apiUrl: `${ok.url}/` });
  return {
    ...ok,
    publisher,
    stop: async () => {
      await publisher.close();
      await ok.stop();
    },
  };
};
