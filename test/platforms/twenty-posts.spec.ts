import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import type { LedgerEntry } from '../../stand-ins/kit/ledger-entry.js';
import { READERS_VIEWS } from '../../stand-ins/readers-views.js';
import { joinAlbums, type VisibleMessage } from '../../stand-ins/walls/readers-view.js';
import { mediaFolder } from './media-files.js';
import { postOf, publishPost } from './publish-post.js';
import { TWENTY_POSTS } from './twenty-posts.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from './wire/networks.js';
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
    const { outcome, results, warnings, textAfterTrim } = await publishPost(publisher, post, channel, {
      credentials,
      key: 'pub_1',
      waits: {},
      media: files.lending(paths),
      signal: new AbortController().signal,
    });
    const ledger = await network.control.readLedger();
    const probed = post.media.map((medium) => ({ ...medium, sizeBytes: null, mime: null }));
    const foreseen = publisher
      .render(post, channel, results)
      .steps.flatMap((step) => publisher.previewCalls(step, probed).map((call) => ({ step: step.name, ...call })));
    expect(READERS_VIEWS[name]!.readCalls(foreseen).map(previewed)).toEqual(joinAlbums(ledger).map(previewed));
    return {
      ends: outcome?.kind ?? 'nothing to send',
      warnings,
      text_after_trim: textAfterTrim,
      calls: recorder.calls,
      readers_see: ledger.map(seen),
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

/** Selects the parts of a message that the console's preview has too: it knows no ids and loads no files. */
const previewed = ({ text, entities, media, buttons, reply_to }: VisibleMessage) => ({
  text,
  entities,
  buttons,
  media: media.map(({ type }) => type),
  isReply: reply_to !== null,
});

describe.each(NETWORK_NAMES)('on %s', (network) => {
  const folder = new URL(`./${network}/twenty/`, import.meta.url);

  it.each(Object.keys(TWENTY_POSTS))(
    '%s is published in these exact calls, and readers see the expected result, as the console previews it',
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
