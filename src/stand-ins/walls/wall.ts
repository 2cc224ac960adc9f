import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerEntry } from '../kit/ledger.js';
import type { StandInAnswer } from '../kit/network.js';
import type { WallChannel, WallFeed } from './feed.js';
import { postHtml } from './post-html.js';
import { renderWalls } from './wall-page.js';

/** How many of the newest posts a wall shows; the ledger keeps them all. */
const SHOWN = 3_000;

/** Types by a media file's ending; the rest is offered as a download. */
const TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
};

interface Shown {
  readonly entry: LedgerEntry;
  readonly seenBefore: number;
}

/**
 * What a network's readers see: `GET /wall` as a page, `GET /wall.json?after=` what is new since, `/wall/media/<file>`
 * what was uploaded. A post's views are the times that its channel was looked at since.
 */
export class Wall {
  /** A ring of the newest posts; `seenBefore`: visits to the channel before the post was there. */
  private readonly posts: Shown[] = [];
  private readonly visits = new Map<string, number>();
  private last = 0;

  constructor(
    private readonly platform: string,
    private readonly title: string,
    private readonly mediaFolder: string,
  ) {}

  /** Takes up a post; its place in the ring is its number. */
  add(entry: LedgerEntry): void {
    this.posts[entry.seq % SHOWN] = { entry, seenBefore: this.visits.get(entry.channel) ?? 0 };
    this.last = entry.seq;
  }

  /** Whether a path is the wall's. */
  serves(path: string): boolean {
    return path === '/wall' || path === '/wall.json' || path.startsWith('/wall/');
  }

  /** Answers a request for one of the wall's paths. */
  async answer(url: URL): Promise<StandInAnswer> {
    if (url.pathname === '/wall') {
      const feed = this.feed(0);
      for (const { key } of feed.channels) this.visits.set(key, (this.visits.get(key) ?? 0) + 1);
      return {
        status: 200,
        body: renderWalls([{ feed, feedUrl: '/wall.json' }]),
        headers: { 'cache-control': 'no-store' },
      };
    }
    if (url.pathname === '/wall.json') {
      const base = url.searchParams.get('media_base') ?? '/wall/media';
      const feed = this.feed(Number(url.searchParams.get('after') ?? 0), base);
      return { status: 200, body: feed, headers: { 'cache-control': 'no-store' } };
    }
    return this.medium(url.pathname.slice('/wall/media/'.length));
  }

  /** What is on the wall after the post `after`. */
  feed(after: number, mediaBase = '/wall/media'): WallFeed {
    const channels = new Map<string, WallChannel>();
    const fresh = this.posts.filter(({ entry }) => entry.seq > after).sort((a, b) => a.entry.seq - b.entry.seq);
    for (const { entry } of fresh.toReversed()) {
      const { channel: key, channel_title, channel_handle } = entry;
      if (!channels.has(key)) channels.set(key, { key, title: channel_title, handle: channel_handle });
    }
    const posts = withAlbums(fresh).map(({ entry, seenBefore }) => ({
      seq: entry.seq,
      channel: entry.channel,
      html: postHtml(entry, { views: 1 + (this.visits.get(entry.channel) ?? 0) - seenBefore, mediaBase }),
    }));
    return { platform: this.platform, title: this.title, next: this.last, channels: [...channels.values()], posts };
  }

  private async medium(name: string): Promise<StandInAnswer> {
    const ending = /^[0-9a-f]{32}\.(\w+)$/.exec(name)?.[1];
    const bytes = ending ? await readFile(join(this.mediaFolder, name)).catch(() => null) : null;
    if (!bytes) return { status: 404, body: { error: 'no such file' } };
    const type = TYPES[ending ?? ''];
    return {
      status: 200,
      body: bytes,
      headers: {
        'content-type': type ?? 'application/octet-stream',
        'x-content-type-options': 'nosniff',
        ...(type ? {} : { 'content-disposition': 'attachment' }),
      },
    };
  }
}

/** Messages of one album stand side by side in one post, with the words of the one that has any. */
const withAlbums = (posts: readonly Shown[]): Shown[] => {
  const joined: Shown[] = [];
  for (const post of posts) {
    const album = joined.at(-1);
    if (album && post.entry.group_id !== null && album.entry.group_id === post.entry.group_id) {
      const { text, entities } = album.entry.text === '' ? post.entry : album.entry;
      const media = [...album.entry.media, ...post.entry.media];
      joined[joined.length - 1] = { ...album, entry: { ...album.entry, text, entities, media } };
    } else joined.push(post);
  }
  return joined;
};
