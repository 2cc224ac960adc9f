import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerChange } from '../kit/changes.js';
import type { LedgerEntry } from '../kit/ledger-entry.js';
import { MEDIA_TYPES } from '../kit/media-store.js';
import type { StandInAnswer } from '../kit/network.js';
import { renderPost } from './post.js';
import { joinAlbums, type WallTheme } from './readers-view.js';
import { renderWalls, type WallChannel, type WallFeed } from './wall-page.js';

/**
 * Headers for every response from a wall: browsers must trust the declared type and store nothing, and other sites must
 * not learn the URL or show the response in a frame.
 */
const SHARED = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
} as const;

/**
 * Returns the headers for a page of walls. The page shares its origin with the console, so it is sandboxed: its script
 * cannot read what the console stores (ADR-250). Only the page's own script and style are allowed; media come from the
 * page's server or, if a post refers to them by URL, from any host.
 * @param nonce nonce of the page's script and style
 */
export const pageHeaders = (nonce: string): Readonly<Record<string, string>> => ({
  ...SHARED,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' https: http:",
    "media-src 'self' https: http:",
    "connect-src 'self'",
    'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
});

/**
 * Headers for a wall's feeds and media. Files from unknown sources must not run scripts, even if opened as pages. A
 * sandboxed page has the origin `null`.
 */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  ...SHARED,
  'access-control-allow-origin': 'null',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
};

/** Number of newest posts that a wall shows; the ledger keeps all posts. */
const MAX_POSTS = 3_000;

interface ShownPost extends LedgerEntry {
  /** The channel's view count when the post was added. */
  readonly viewsBefore: number;
  /** Number of the post's last change; the first is its addition. */
  readonly version: number;
  readonly isDeleted: boolean;
  readonly isEdited: boolean;
  readonly isPinned: boolean;
}

/**
 * Serves a network's wall for readers: the page at `GET /wall`, new and changed posts at `GET /wall.json?after=`, and
 * uploaded files at `/wall/media/<file>`. A post's view count grows with each request for the page.
 */
export class Wall {
  /** Ring buffer of the newest posts. */
  private readonly posts: ShownPost[] = [];
  private readonly views = new Map<string, number>();
  /** Counts additions and changes. */
  private version = 0;

  constructor(
    private readonly platform: string,
    private readonly title: string,
    private readonly mediaFolder: string,
    private readonly theme: WallTheme = {},
  ) {}

  /** Adds a post; its number determines its position in the ring buffer. */
  add(entry: LedgerEntry): void {
    const viewsBefore = this.views.get(entry.channel) ?? 0;
    const unchanged = { isDeleted: false, isEdited: false, isPinned: false };
    this.posts[entry.seq % MAX_POSTS] = { ...entry, viewsBefore, version: ++this.version, ...unchanged };
  }

  /** Shows what happened to a post, if the wall still has it. */
  change({ kind, channel, message_id, content }: LedgerChange): void {
    this.version++;
    const at = this.posts.findIndex((post) => post?.message_id === message_id && post.channel === channel);
    const post = this.posts[at];
    if (!post) return;
    this.posts[at] = {
      ...post,
      ...content,
      version: this.version,
      isDeleted: post.isDeleted || kind === 'deleted',
      isEdited: post.isEdited || kind === 'edited',
      isPinned: kind === 'pinned' || (kind === 'edited' && post.isPinned),
    };
  }

  /** True if the path belongs to the wall. */
  isWallPath(path: string): boolean {
    return path === '/wall' || path === '/wall.json' || path.startsWith('/wall/');
  }

  /** Responds to a request to one of the wall's paths. */
  async answerRequest(url: URL): Promise<StandInAnswer> {
    if (url.pathname === '/wall') {
      const feed = this.feed(0);
      for (const { key } of feed.channels) this.views.set(key, (this.views.get(key) ?? 0) + 1);
      const nonce = randomUUID();
      const body = renderWalls([{ feed, feedUrl: '/wall.json', theme: this.theme }], nonce);
      return { status: 200, body, headers: pageHeaders(nonce) };
    }
    if (url.pathname === '/wall.json') {
      const base = url.searchParams.get('media_base') ?? '/wall/media';
      const feed = this.feed(Number(url.searchParams.get('after') ?? 0), base);
      return { status: 200, body: feed, headers: DATA_HEADERS };
    }
    return this.readMedium(url.pathname.slice('/wall/media/'.length));
  }

  /** Returns the posts that were added or changed after version `after`; of an album, all messages. */
  feed(after: number, mediaBase = '/wall/media'): WallFeed {
    const channels = new Map<string, WallChannel>();
    const changed = this.posts.filter(({ version }) => version > after);
    const albums = new Set(changed.map(albumOf).filter((album) => album !== null));
    const fresh = this.posts
      .filter((post) => post.version > after || albums.has(albumOf(post) ?? ''))
      .sort((a, b) => a.seq - b.seq);
    for (const { channel: key, channel_title: title, channel_handle: handle } of fresh.toReversed())
      if (!channels.has(key)) channels.set(key, { key, title, handle });
    const posts = joinMessages(fresh).map((post) => ({
      seq: post.seq,
      channel: post.channel,
      html: renderPost(post, {
        views: 1 + (this.views.get(post.channel) ?? 0) - post.viewsBefore,
        mediaBase,
        isDeleted: post.isDeleted,
        isEdited: post.isEdited,
        isPinned: post.isPinned,
      }),
    }));
    return { platform: this.platform, title: this.title, next: this.version, channels: [...channels.values()], posts };
  }

  private async readMedium(name: string): Promise<StandInAnswer> {
    const extension = /^[0-9a-f]{32}\.(\w+)$/.exec(name)?.[1];
    const bytes = extension ? await readFile(join(this.mediaFolder, name)).catch(() => null) : null;
    if (!bytes) return { status: 404, body: { error: 'no such file' }, headers: DATA_HEADERS };
    const type = MEDIA_TYPES.get(extension ?? '');
    return {
      status: 200,
      body: bytes,
      headers: {
        ...DATA_HEADERS,
        'content-type': type ?? 'application/octet-stream',
        ...(type ? {} : { 'content-disposition': 'attachment' }),
      },
    };
  }
}

const albumOf = ({ channel, group_id }: LedgerEntry): string | null =>
  group_id === null ? null : `${channel} ${group_id}`;

/**
 * Joins albums, without their deleted messages unless all are deleted. A joined post keeps its first number, and is
 * edited or pinned if one of its messages is.
 */
const joinMessages = (posts: readonly ShownPost[]): ShownPost[] => {
  const whole = joinAlbums(posts);
  const seen = new Map(joinAlbums(posts.filter(({ isDeleted }) => !isDeleted)).map((post) => [albumOf(post), post]));
  return whole.map((post) => {
    const album = albumOf(post);
    const shown = album === null ? undefined : seen.get(album);
    if (!shown) return post;
    const parts = posts.filter((part) => !part.isDeleted && albumOf(part) === album);
    const [isEdited, isPinned] = [parts.some((part) => part.isEdited), parts.some((part) => part.isPinned)];
    return { ...shown, seq: post.seq, at: post.at, isEdited, isPinned };
  });
};
