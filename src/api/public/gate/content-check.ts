import { Inject, Injectable } from '@nestjs/common';
import { rejectTooManyTargets } from '../../../commands/plan-limits.js';
import { audienceOf, resolveTargets } from '../../../commands/resolve-targets.js';
import type { LimitsProfile } from '../../../config/limits-profile.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { isRejection, type Rejection } from '../../../kernel/result.js';
import { listAddressed } from '../../../payload/content-layers.js';
import { type ContentTarget, listMedia } from '../../../payload/overrides.js';
import type { PublishPayload } from '../../../payload/payload.js';
import { listUploadIds } from '../../../payload/uploads.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import type { EndpointSnapshot } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { MediaCheck, ProbePayments } from '../media-check.js';
import type { ParsedPost } from './parsed-post.js';
import { bodyRejection, targetsRejection } from './rejections.js';

/** The content of a post that may be accepted. */
export interface AcceptableContent {
  readonly payload: PublishPayload;
  /** The channels that the post goes to, each once. */
  readonly channelIds: readonly string[];
}

/** The gate's steps 9 and 10: the body, its media and the targets. */
@Injectable()
export class ContentCheck {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly media: MediaCheck,
    private readonly payments: ProbePayments,
    private readonly catalogue: PlatformCatalogue,
  ) {}

  /**
   * Returns the content of an acceptable post; null if {@link check} will reject it or must probe its media first.
   * @param areMediaProbed true if the media of this post passed {@link check}
   */
  findAcceptable(
    endpoint: EndpointSnapshot,
    { content }: ParsedPost,
    areMediaProbed = false,
  ): AcceptableContent | null {
    if (!content.ok || (!areMediaProbed && this.hasMedia(endpoint, content.payload))) return null;
    const channelIds = resolveChannels(endpoint, content.payload, this.settings.limitsProfile);
    return isRejection(channelIds) ? null : { payload: content.payload, channelIds };
  }

  /**
   * Rejects a post that is not acceptable, or checks its media.
   * @returns the post, with the types of its uploads
   * @throws GateRejection
   */
  async check(endpoint: EndpointSnapshot, post: ParsedPost, areMediaProbed: boolean): Promise<ParsedPost> {
    const { content } = post;
    if (!content.ok) return this.rejectContent(endpoint, content);
    if (!areMediaProbed && this.hasMedia(endpoint, content.payload)) {
      const pay = this.payments.open(endpoint);
      const addressed = this.listAddressed(endpoint, content.payload);
      const checked = await this.media.checkPayload(endpoint.owner_id, pay, content.payload, addressed);
      const { payload, problems, status } = checked;
      if (problems.length > 0) throw bodyRejection(endpoint, new HttpProblem(status, 'invalid_payload', problems));
      return { ...post, content: { ok: true, payload } };
    }
    const { payload } = content;
    const channelIds = resolveChannels(endpoint, payload, this.settings.limitsProfile);
    if (isRejection(channelIds)) throw targetsRejection(endpoint, channelIds);
    return post;
  }

  /** True if there are media to check: those that the post's targets will get (D-61), and all its uploads. */
  private hasMedia(endpoint: EndpointSnapshot, payload: PublishPayload): boolean {
    if (!payload.media && !payload.overrides) return false;
    return listMedia(payload, this.listAddressed(endpoint, payload)).length > 0 || listUploadIds(payload).length > 0;
  }

  private listAddressed(endpoint: EndpointSnapshot, payload: PublishPayload): readonly ContentTarget[] {
    return payload.overrides ? listAddressed(payload, audienceOf(endpoint, this.catalogue.ids)) : [];
  }

  /** Rejects invalid content, reporting problems with its media as well (D-6). @throws GateRejection */
  private async rejectContent(
    endpoint: EndpointSnapshot,
    { problem, checkableMedia = [] }: Extract<ParsedPost['content'], { readonly ok: false }>,
  ): Promise<never> {
    const more =
      checkableMedia.length > 0
        ? await this.media.findProblems(endpoint.owner_id, this.payments.open(endpoint), checkableMedia)
        : [];
    throw bodyRejection(endpoint, new HttpProblem(problem.status, problem.code, [...problem.problems, ...more]));
  }
}

/** Returns the channels that a post goes to. Without projects, any target is valid and nothing is published (D-10). */
export const resolveChannels = (
  { projects, plan }: EndpointSnapshot,
  { targets = [] }: PublishPayload,
  { plans }: LimitsProfile,
): readonly string[] | Rejection<'invalid_targets' | 'too_many_targets'> => {
  if (projects.length === 0) return [];
  const resolved = resolveTargets(
    projects,
    targets.map(({ id }) => id),
  );
  if (isRejection(resolved)) return resolved;
  const { channelIds } = resolved;
  return rejectTooManyTargets(channelIds.length, plans[plan].resources.targetsPerPost) ?? channelIds;
};
