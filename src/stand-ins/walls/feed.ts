/** A post as a wall shows it; `html` is whole and safe to insert. */
export interface WallPost {
  readonly seq: number;
  /** The channel's key. */
  readonly channel: string;
  readonly html: string;
}

/** A channel that posts on a wall are of. */
export interface WallChannel {
  readonly key: string;
  readonly title: string;
  /** The public name without `@`. */
  readonly handle: string | null;
}

/** What `GET /wall.json` answers: what is new on one network's wall. */
export interface WallFeed {
  readonly platform: string;
  /** The network's name for people. */
  readonly title: string;
  /** What to ask for next, as `?after=`. */
  readonly next: number;
  /** The channels of the posts below, the one with the newest post first. */
  readonly channels: readonly WallChannel[];
  /** Oldest first. */
  readonly posts: readonly WallPost[];
}

/** One network on a page of walls. */
export interface WallSource {
  readonly feed: WallFeed;
  /** Where the page asks for what is new; `?after=` is added. */
  readonly feedUrl: string;
}
