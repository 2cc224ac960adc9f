import type { Position } from '../port.js';
import { mergeFilters, type TypeFilter } from '../type-filter.js';
import type { FeedReader } from './feed-reader.js';
import { type FeedContext, LogFeed } from './log-feed.js';

/**
 * The feeds of a process (ADR-129). Readers that are near each other in the log share a feed, so that the log is read
 * and parsed once. A reader that is far from all others has its own feed until it reaches the window of another feed.
 */
export class LogFeeds {
  /** Newest last; the newest has the widest filter. */
  private readonly feeds = new Set<LogFeed>();
  private wanted: TypeFilter = { types: [] };

  constructor(private readonly context: FeedContext) {}

  /** Returns a reader that starts after a position. */
  join(position: Position, filter: TypeFilter): FeedReader {
    this.wanted = mergeFilters(this.wanted, filter);
    const feed = this.find(position, filter) ?? this.create(position);
    return feed.join(position, filter, (reader) => this.isOvertaken(reader, filter));
  }

  /** True if a reader should join another feed that is ahead of the reader's own. */
  isOvertaken({ feed, position }: FeedReader, filter: TypeFilter): boolean {
    const best = this.find(position, filter);
    return best !== undefined && best !== feed && best.head >= feed.head;
  }

  /** Returns the feed that serves a position and is furthest ahead; if there are several, the newest. */
  private find(position: Position, filter: TypeFilter): LogFeed | undefined {
    let best: LogFeed | undefined;
    for (const feed of this.feeds)
      if (feed.serves(position, filter) && (best === undefined || feed.head >= best.head)) best = feed;
    return best;
  }

  private create(position: Position): LogFeed {
    const feed = new LogFeed(position, this.wanted, this.context, () => this.feeds.delete(feed));
    this.feeds.add(feed);
    return feed;
  }
}
