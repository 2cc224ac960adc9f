import type { WallTheme } from './theme.js';

/** A post as a wall shows it; `html` is complete and safe to insert. */
interface WallPost {
  readonly seq: number;
  /** Key of its channel. */
  readonly channel: string;
  readonly html: string;
}

/** A channel with posts on a wall. */
export interface WallChannel {
  readonly key: string;
  readonly title: string;
  /** Public name without `@`. */
  readonly handle: string | null;
}

/** Response to `GET /wall.json`: new posts on one network's wall. */
export interface WallFeed {
  readonly platform: string;
  /** Display name of the network. */
  readonly title: string;
  /** Value of `?after=` for the next request. */
  readonly next: number;
  /** The channels of these posts, starting with the channel of the newest post. */
  readonly channels: readonly WallChannel[];
  /** Oldest first. */
  readonly posts: readonly WallPost[];
}

/** One network's wall on a page of walls. */
export interface WallSource {
  readonly feed: WallFeed;
  /** URL for new posts, to which the page adds `?after=`. */
  readonly feedUrl: string;
  readonly theme?: WallTheme;
}
