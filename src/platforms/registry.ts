import type { Publisher } from './publisher.js';

/** The networks there are, by identifier. */
export class Publishers {
  private readonly byPlatform: ReadonlyMap<string, Publisher>;

  constructor(publishers: readonly Publisher[]) {
    this.byPlatform = new Map(publishers.map((publisher) => [publisher.platform, publisher]));
  }

  /** @throws Error for a network that this program does not know. */
  of(platform: string): Publisher {
    const publisher = this.find(platform);
    if (!publisher) throw new Error(`no publisher for ${platform}`);
    return publisher;
  }

  /** Undefined for a network that this program does not know. */
  find(platform: string): Publisher | undefined {
    return this.byPlatform.get(platform);
  }
}
