import type { Publisher } from './publisher.js';

/** The publishers of a process, by network. */
export class Publishers {
  private readonly byPlatform: ReadonlyMap<string, Publisher>;

  constructor(publishers: readonly Publisher[]) {
    this.byPlatform = new Map(publishers.map((publisher) => [publisher.platform, publisher]));
  }

  /** Returns the identifiers of all networks. */
  get platforms(): readonly string[] {
    return [...this.byPlatform.keys()];
  }

  /** @throws Error for a network without a publisher */
  get(platform: string): Publisher {
    const publisher = this.byPlatform.get(platform);
    if (!publisher) throw new Error(`no publisher for ${platform}`);
    return publisher;
  }
}
