import type { JsonObject } from '../../../src/kernel/ids.js';
import type { PlatformPost, Publisher, SendContext, StepOutcome } from '../../../src/platforms/publisher.js';
import { createVkPublisher } from '../../../src/platforms/vk/descriptor.js';
import { COMMUNITY_TOKEN, startStandIn, USER_TOKEN } from '../../stand-ins/vk/stand-in.js';

export const CHANNEL = { id: 'tgt_1', address: { group_id: '7', uploads: 'user_token' }, settings: {} };
export const TEXT_ONLY_CHANNEL = { id: 'tgt_1', address: { group_id: '7' }, settings: {} };

export const post = (more: Partial<PlatformPost> = {}): PlatformPost => ({
  text: 'Ahoy',
  entities: [],
  media: [],
  buttons: [],
  isAdvertisement: false,
  ...more,
});

export const contextFor = (more: Partial<SendContext> = {}): SendContext => ({
  credentials: { access_token: COMMUNITY_TOKEN, upload_token: USER_TOKEN },
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
export const startVk = async () => {
  const vk = await startStandIn();
  const publisher = createVkPublisher({ apiUrl: `${vk.url}/` });
  return {
    ...vk,
    publisher,
    stop: async () => {
      await publisher.close();
      await vk.stop();
    },
  };
};
