import type { OnModuleDestroy } from '@nestjs/common';
import { GuardedClient } from '../../outbound-http/guarded-client.js';
import type { RequestSlots } from '../../outbound-http/request-slots.js';
import type { Inspector } from '../../media/inspector.js';
import { createProber, findMediaProblems, type PayRequests, type Prober } from '../../media/probe.js';
import type { AddressPolicy } from '../../outbound-http/address-policy.js';
import type { Media } from '../../payload/payload.js';
import type { Problem } from '../../validation/problem-list.js';
import type { ProbedMedium } from '../../platforms/publisher.js';
import { GateRejection } from './gate/gate-rejection.js';
import type { PayloadCheck } from './read-payload.js';

/** The result of probing a payload's media before anything is stored (D-24). */
export interface CheckedMedia {
  /** Problems that are certain: 400. A slow or unreachable host causes none. */
  readonly problems: readonly Problem[];
  /** One item per medium, in their order. */
  readonly media: readonly CheckedMedium[];
}

/** A medium, as far as it could be probed. */
export interface CheckedMedium extends ProbedMedium {
  readonly ok: boolean;
  /** The reason for which it could not be fully probed. */
  readonly note?: string;
  /** True if no address is known for its host. */
  readonly isHostUnknown?: boolean;
}

/** A medium of a body that is rejected for other problems, with its index. */
export interface IndexedMedium extends Media {
  readonly index: number;
}

/**
 * Selects the media to probe in a body that is rejected for its content, so that all problems are reported at once (D-6): those
 * without a known problem. Selects none if the schema is violated: such a body causes no fetches.
 */
export const selectCheckableMedia = ({ status, problems, sent }: Extract<PayloadCheck, { readonly ok: false }>) => {
  if (status !== 400 || sent === undefined) return [];
  const { media } = sent as { readonly media?: readonly Media[] | null };
  return (media ?? []).flatMap(({ type, url }, index): IndexedMedium[] =>
    problems.some(({ path }) => path.startsWith(`media[${index}]`)) ? [] : [{ type, url, index }],
  );
};

/**
 * Probes a payload's media with small ranged reads, within 3 s in total (D-24), paid from the endpoint's probe budget (D-51).
 * A payload without media pays nothing and makes no call. With MEDIA_PROBE off it fetches nothing and reports no problems: media are checked when they are published.
 */
export class MediaCheck implements OnModuleDestroy {
  private readonly client: GuardedClient | null;
  private readonly prober: Prober | null;

  /** @param policy the private addresses that may be called @param inspector null with MEDIA_PROBE off */
  constructor(policy: AddressPolicy, slots: RequestSlots, inspector: Inspector | null) {
    this.client = inspector && new GuardedClient({ policy, slots });
    this.prober = inspector && this.client && createProber({ client: this.client, inspector });
  }

  /**
   * Probes media.
   * @param ownerId the owner whose client sent them
   * @param media of a payload that passed its other checks; undefined: it has none
   * @throws GateRejection 429 if the probe budget does not cover them
   */
  async check(ownerId: string, pay: PayRequests, media: readonly Media[] = []): Promise<CheckedMedia> {
    if (media.length === 0) return { problems: [], media: [] };
    if (!this.prober)
      return { problems: [], media: media.map((medium) => ({ ...medium, ok: true, sizeBytes: null, mime: null })) };
    const reports = await this.prober.probeAll(media, { pay, ownerId });
    const certain = reports.map((report) => (report.inconclusive ? { ...report, mime: null } : report));
    return { problems: findMediaProblems(reports), media: certain };
  }

  /**
   * Probes the media of a body that is rejected anyway, and returns the certain problems, with their indexes in the body; none
   * if the probe budget does not cover them.
   */
  async findProblems(ownerId: string, pay: PayRequests, media: readonly IndexedMedium[]): Promise<readonly Problem[]> {
    const { problems } = await this.check(ownerId, pay, media).catch((error: unknown) => {
      if (error instanceof GateRejection) return NOTHING_CHECKED;
      throw error;
    });
    const restoreIndex = (text: string): string =>
      text.replace(/^media\[(\d+)\]/, (_, n) => `media[${media[Number(n)]!.index}]`);
    return problems.map(({ path, code, message }) => ({
      path: restoreIndex(path),
      code,
      message: restoreIndex(message),
    }));
  }

  async onModuleDestroy(): Promise<void> {
    await this.client?.close();
  }
}

const NOTHING_CHECKED: CheckedMedia = { problems: [], media: [] };
