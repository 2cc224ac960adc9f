import type { PlatformPost } from '../../../src/platforms/publisher.js';

const photo = (name: string) => ({ type: 'photo', url: `https://media.example/${name}` }) as const;
const bold = (length: number) => ({ type: 'bold', offset: 0, length }) as const;

/** The posts that are published on a real network, by name. */
export const FIXED_POSTS: Readonly<Record<string, Partial<PlatformPost>>> = {
  text: {
    text: 'Crosspost records this network.\nA link and code.',
    entities: [
      bold(9),
      { type: 'text_link', offset: 34, length: 4, url: 'https://example.com/' },
      { type: 'code', offset: 43, length: 4 },
    ],
  },
  'a-photo-with-a-button': {
    text: 'A photo',
    media: [photo('one.png')],
    buttons: [[{ text: 'Example', url: 'https://example.com/' }]],
  },
  'two-photos': { text: 'Two photos', entities: [bold(3)], media: [photo('one.png'), photo('two.png')] },
  'a-video': { text: 'A video', media: [{ type: 'video', url: 'https://media.example/video.mp4' }] },
};
