import { PLATFORMS } from './catalogue.js';
import type { SendContext } from './publisher.js';

const malformed = { name: 'upload', visible: false, method: 'none', request: {} };

const context: SendContext = {
  credentials: {},
  channel: { id: 'tgt_1', address: {}, settings: {} },
  results: {},
  key: 'pub_1',
  waits: {},
  media: async () => ({ code: 'no_media', category: 'internal', source: 'gateway', message: 'No file was expected.' }),
  signal: new AbortController().signal,
};

it.each(PLATFORMS.all)(
  'the publisher for $title returns a promise even for a malformed step',
  async ({ createPublisher }) => {
    const publisher = createPublisher({ apiUrl: 'http://127.0.0.1:1' });
    const sent = publisher.send(malformed, context);
    await Promise.allSettled([sent]);
    expect(sent).toBeInstanceOf(Promise);
    await publisher.close();
  },
);
