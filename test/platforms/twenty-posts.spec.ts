import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import type { LedgerEntry } from '../../src/stand-ins/kit/ledger.js';
import { mediaFolder } from './media-files.js';
import { postOf, publishPost } from './publish-post.js';
import { TWENTY_POSTS } from './twenty-posts.js';
import { NETWORK_NAMES, NETWORKS, type NetworkName } from './wire/networks.js';
import { Recorder } from './wire/recorder.js';
import { startRelay } from './wire/relay.js';

/** True if the files are written instead of compared; read the diff afterwards. */
const WRITES = process.env['GOLDEN'] === 'write';

let files: Awaited<ReturnType<typeof mediaFolder>>;
beforeAll(async () => void (files = await mediaFolder()));
afterAll(() => files.remove());

/** Publishes a post on an empty stand-in. Returns the calls on the wire and the result that readers see. */
const publishOnce = async (name: NetworkName, made: (typeof TWENTY_POSTS)[string]) => {
  const { start, publisher: create, address, credentials, textLimit } = NETWORKS[name];
  const network = await start();
  const recorder = new Recorder(Object.values(credentials));
  const relay = await startRelay(network.url, {
    answered: async (call, answer) => {
      await recorder.record(call, answer);
      return true;
    },
  });
  const publisher = create(relay.url);
  try {
    const post = postOf(made(textLimit));
    const paths = await Promise.all(post.media.map(({ url }) => files.make(new URL(url).pathname.slice(1))));
    const channel = { id: 'tgt_1', address, settings: {} };
    const { outcome, warnings, textAfterTrim } = await publishPost(publisher, post, channel, {
      credentials,
      key: 'pub_1',
      waits: {},
      media: files.lending(paths),
      signal: new AbortController().signal,
    });
    return {
      ends: outcome?.kind ?? 'nothing to send',
      warnings,
      text_after_trim: textAfterTrim,
      calls: recorder.calls,
      readers_see: (await network.control.readLedger()).map(seen),
    };
  } finally {
    await publisher.close();
    await relay.stop();
    await network.stop();
  }
};

const seen = ({ text, entities, media, buttons, reply_to, group_id }: LedgerEntry) => ({
  ...(text === '' ? {} : { text }),
  ...(entities.length > 0 ? { entities } : {}),
  ...(media.length > 0 ? { media: media.map(({ type, name }) => `${type} ${name}`) } : {}),
  ...(buttons.length > 0 ? { buttons: buttons.map((row) => row.map((one) => `${one.text} → ${one.url}`)) } : {}),
  ...(reply_to === null ? {} : { reply_to }),
  ...(group_id === null ? {} : { in_album: true }),
});

describe.each(NETWORK_NAMES)('on %s', (network) => {
  const folder = new URL(`./${network}/twenty/`, import.meta.url);

  it.each(Object.keys(TWENTY_POSTS))(
    '%s is published in these exact calls, and readers see the expected result',
    async (name) => {
      const file = new URL(`${name}.json`, folder);
      const now = await publishOnce(network, TWENTY_POSTS[name]!);
      if (WRITES) {
        if (!existsSync(folder)) mkdirSync(folder);
        const style = await resolveConfig(file);
        writeFileSync(file, await format(JSON.stringify(now), { ...style, parser: 'json' }));
      }
      expect(now).toEqual(JSON.parse(readFileSync(file, 'utf8')));
      expect(files.lent()).toBe(0);
    },
  );
});
