import type { OnModuleDestroy } from '@nestjs/common';
import { GuardedClient } from '../../outbound-http/guarded-client.js';
import type { Inspector } from '../../media/inspector.js';
import { createProber, mediaProblems, type Prober } from '../../media/probe.js';
import type { AddressPolicy } from '../../outbound-http/address-policy.js';
import type { Media, Problem } from '../../payload/payload.js';
import type { ProbedMedium } from '../../platforms/publisher.js';
import type { ReadPayload } from './read-payload.js';

/** What is known of a payload's media before anything is stored (D-24). */
export interface CheckedMedia {
  /** What is certainly wrong: 400. None where a host is slow or down. */
  readonly problems: readonly Problem[];
  /** One for each medium, in their order. */
  readonly media: readonly CheckedMedium[];
}

/** A medium, as far as it was looked at. */
export interface CheckedMedium extends ProbedMedium {
  readonly ok: boolean;
  /** Why it could not be looked at as a whole. */
  readonly note?: string;
}

/** A medium of a body that is refused for something else, and its place in it. */
export interface PlacedMedium extends Media {
  readonly index: number;
}

/**
 * The media that may be looked at all the same of a body that is refused for its content, so that everything that is wrong
 * is told at once (D-6): those of which nothing wrong is known yet. None where the schema is broken: what is no payload
 * causes no fetches.
 */
export const mediaLeftOf = ({ status, problems, sent }: Extract<ReadPayload, { readonly ok: false }>) => {
  if (status !== 400 || sent === undefined) return [];
  const { media } = sent as { readonly media?: readonly Media[] | null };
  return (media ?? []).flatMap(({ type, url }, index): PlacedMedium[] =>
    problems.some(({ path }) => path.startsWith(`media[${index}]`)) ? [] : [{ type, url, index }],
  );
};

/**
 * Looks at a payload's media with small ranged reads, within 3 s in all (D-24). With MEDIA_PROBE off nothing is fetched
 * and nothing is found wrong: media are checked when they are published.
 */
export class MediaCheck implements OnModuleDestroy {
  private readonly client: GuardedClient | null;
  private readonly prober: Prober | null;

  /** @param policy which private addresses may be reached; @param inspector null with MEDIA_PROBE off */
  constructor(policy: AddressPolicy, inspector: Inspector | null) {
    this.client = inspector && new GuardedClient({ policy });
    this.prober = inspector && this.client && createProber({ client: this.client, inspector });
  }

  /** Never throws. @param media of a payload that has passed its other checks; undefined: it has none */
  async check(media: readonly Media[] = []): Promise<CheckedMedia> {
    if (media.length === 0) return { problems: [], media: [] };
    if (!this.prober)
      return { problems: [], media: media.map((medium) => ({ ...medium, ok: true, sizeBytes: null, mime: null })) };
    const reports = await this.prober.probeAll(media);
    const certain = reports.map((report) => (report.inconclusive ? { ...report, mime: null } : report));
    return { problems: mediaProblems(reports), media: certain };
  }

  /** What is certainly wrong with these, under their places. Never throws. */
  async problemsOf(media: readonly PlacedMedium[]): Promise<readonly Problem[]> {
    const { problems } = await this.check(media);
    const inPlace = (words: string): string =>
      words.replace(/^media\[(\d+)\]/, (_, n) => `media[${media[Number(n)]!.index}]`);
    return problems.map(({ path, code, message }) => ({ path: inPlace(path), code, message: inPlace(message) }));
  }

  async onModuleDestroy(): Promise<void> {
    await this.client?.close();
  }
}
