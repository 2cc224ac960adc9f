import { sortEntities } from '../../src/payload/entities.js';
import type { Button, Entity, EntityType, Media } from '../../src/payload/payload.js';
import type { PlatformPost } from '../../src/platforms/publisher.js';

/** Creates a test post for a network with this text limit, in UTF-16 units. */
export type MadePost = (textLimit: number) => Partial<PlatformPost>;

/** Part of a text. An array is an entity with the parts inside it. */
type Piece = string | readonly [type: EntityType | (Partial<Entity> & Pick<Entity, 'type'>), ...Piece[]];

/** Combines parts to a text with entities, so that offsets need not be counted by hand. */
const written = (...pieces: readonly Piece[]): Pick<PlatformPost, 'text' | 'entities'> => {
  let text = '';
  const entities: Entity[] = [];
  const write = (piece: Piece): void => {
    if (typeof piece === 'string') {
      text += piece;
      return;
    }
    const [type, ...inner] = piece;
    const offset = text.length;
    inner.forEach(write);
    entities.push({ ...(typeof type === 'string' ? { type } : type), offset, length: text.length - offset });
  };
  pieces.forEach(write);
  return { text, entities: sortEntities(entities) };
};

const link = (url: string) => ({ type: 'text_link', url }) as const;
const medium = (type: Media['type'], name: string): Media => ({ type, url: `https://media.example/${name}` });
const button = (text: string, url = 'https://example.com/'): Button => ({ text, url });

/** Returns words that are exactly `units` UTF-16 units long. */
const wordsOf = (units: number): string => 'tide and time '.repeat(Math.ceil(units / 14)).slice(0, units - 1) + '.';

const deep = (depth: number): Piece => (depth === 0 ? 'deep' : [depth % 2 ? 'bold' : 'italic', deep(depth - 1)]);

/**
 * Twenty posts, the same for every network: all entity types, nesting, mixed albums, texts at the limit and beyond it.
 */
export const TWENTY_POSTS: Readonly<Record<string, MadePost>> = {
  '01-plain-advertisement': () => ({ text: 'High water at 14:05.\nMind the step.', isAdvertisement: true }),
  '02-every-style': () =>
    written(
      ...(['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code'] as const).flatMap((type): Piece[] => [
        [type, type],
        ' ',
      ]),
      '\n',
      [{ type: 'pre', language: 'python' }, 'print("tide")'],
      '\n',
      ['blockquote', 'quoted'],
      '\n',
      ['expandable_blockquote', 'quoted at length'],
    ),
  '03-nested': () =>
    written(
      ['bold', 'bold ', ['italic', 'and italic ', ['underline', 'and underlined'], ' no more'], ' still bold'],
      '\n',
      ['blockquote', 'a quote with ', ['code', 'code'], ' and ', ['spoiler', ['strikethrough', 'a secret']]],
      '\n',
      [link('https://example.com/a?b=1&c="2"'), 'a ', ['bold', 'bold'], ' link'],
    ),
  '04-sixty-four-deep': () => written('before ', deep(64), ' after'),
  '05-links': () =>
    written(
      [link('https://example.com/tides'), 'tides'],
      ', ',
      [link('tg://resolve?domain=harbour'), 'channel'],
      ', ',
      [link('tg://user?id=7'), 'person'],
      ', ',
      [link('mailto:a@example.com'), 'letter'],
      ', ',
      [link('https://example.com/'), 'https://example.com/'],
      ', ',
      [link('https://example.com/@harbour/[x|y]'), '@harbour'],
    ),
  '06-what-networks-find-themselves': () =>
    written(
      ['mention', '@harbour_news'],
      ' ',
      ['url', 'https://example.com/'],
      ' ',
      ['email', 'pier@example.com'],
      ' ',
      ['phone_number', '+31205550100'],
      ' ',
      ['hashtag', '#tides'],
      ' ',
      [{ type: 'custom_emoji', custom_emoji_id: '5368324170671202286' }, '👍'],
      ' [id1|Pavel] @durov (him) *club5',
    ),
  '07-emoji-families': () =>
    written(
      '👨‍👩‍👧‍👦 ',
      ['bold', '👩🏽‍🚀🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
      ' e\u0301 ',
      ['spoiler', '🇫🇷🇳🇱'],
      ' ',
      [link('https://example.com/'), '👍🏿 ok'],
      ' क्षि ❤️‍🔥',
    ),
  '08-right-to-left': () =>
    written('שלום ', ['bold', 'עולם'], ' \u200f— ', ['italic', 'مرحبا بالعالم'], ' left ', [
      link('https://example.com/'),
      'יסוד',
    ]),
  '09-what-must-be-escaped': () =>
    written('<b>no tag</b> & "quotes" &amp; ', ['bold', '<i>x</i>'], " \\ ' `", '\ttab\u0007bell\r\nnew line'),
  '10-buttons-eight-by-eight': () => ({
    text: 'Choose',
    buttons: Array.from({ length: 8 }, (_, row) =>
      Array.from({ length: 8 }, (__, place) =>
        button(`${row + 1}.${place + 1}`, `https://example.com/${row}/${place}`),
      ),
    ),
  }),
  '11-buttons-of-every-kind': () => ({
    text: 'Ways',
    buttons: [
      [button('Web'), button('Telegram', 'tg://resolve?domain=harbour&post=7'), button('Person', 'tg://user?id=7')],
      [button(`Long ${'x'.repeat(200)}`), button('👨‍👩‍👧‍👦')],
    ],
  }),
  '12-buttons-alone': () => ({ buttons: [[button('Tides')]] }),
  '13-a-photo-without-words': () => ({ media: [medium('photo', 'a.jpg')] }),
  '14-a-photo-with-a-full-caption': () => ({ text: wordsOf(1_024), media: [medium('photo', 'a.jpg')] }),
  '15-a-video-with-one-too-many': () => ({
    text: wordsOf(1_025),
    media: [medium('video', 'storm.mp4')],
    buttons: [[button('Watch')]],
  }),
  '16-ten-photos-and-videos': () => ({
    ...written(['bold', 'Ten'], ' of them'),
    media: Array.from({ length: 10 }, (_, i) =>
      i % 3 === 2 ? medium('video', `${i}.mp4`) : medium('photo', `${i}.png`),
    ),
  }),
  '17-all-kinds-with-buttons': () => ({
    ...written('All ', ['italic', 'kinds']),
    media: [
      medium('audio', 'horn.mp3'),
      medium('photo', 'a.jpg'),
      medium('video', 'pier.mov'),
      medium('audio', 'sea.ogg'),
      medium('video', 'storm.mp4'),
      medium('audio', 'gull.m4a'),
    ],
    buttons: [[button('More')]],
  }),
  '18-sounds-alone': () => ({ media: [medium('audio', 'horn.mp3'), medium('audio', 'gull.m4a')] }),
  '19-a-text-at-the-limit': (limit) => ({ text: wordsOf(limit) }),
  '20-one-past-the-limit': (limit) =>
    written(wordsOf(limit - 40), [link('https://example.com/'), ['bold', 'a link that the cut goes through 👨‍👩‍👧‍👦']]),
};
