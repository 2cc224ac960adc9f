import { Inject, Injectable } from '@nestjs/common';
import { monthlyPostsOf } from '../../../config/limits-profile.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Instant, iso } from '../../../kernel/instant.js';
import { asSentence } from '../../../kernel/message.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import { ActivityQueries, type SettledPublications } from '../../../projections/activity/activity.queries.js';
import { type AlertList, AlertQueries } from '../../../projections/activity/alerts.queries.js';
import { PostExcerpts } from '../../../projections/posts/post-excerpts.queries.js';
import { PublicationDetailsQueries } from '../../../projections/posts/publication-details.queries.js';
import { type UsedUpOwner, UsedUpOwners } from '../../../projections/posts/used-up.queries.js';
import { OVERVIEW_MESSAGES as TEXTS } from '../messages.js';
import {
  buildDisabled,
  buildUsedUp,
  describeAlert,
  describeAlerts,
  MOST_IDS,
  NO_SUBJECT,
  viewing,
  viewingList,
} from './attention-parts.js';
import type { AttentionSubject, AttentionItemView, NetworkView } from './overview.view.js';

/** The things among which an overview looks for what needs a person. */
export interface AttentionScope {
  /** Null: all owners. */
  readonly ownerId: string | null;
  readonly now: Instant;
  /** The owner, if its posts of the month are used up; null: they are not, or all owners are shown. */
  readonly usedUp: UsedUpOwner | null;
  readonly networks: readonly NetworkView[];
}

/** Finds what needs a person, by code, the worst first. */
@Injectable()
export class AttentionBuilder {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly activity: ActivityQueries,
    private readonly alerts: AlertQueries,
    private readonly usedUp: UsedUpOwners,
    private readonly details: PublicationDetailsQueries,
    private readonly excerpts: PostExcerpts,
    private readonly platforms: PlatformCatalogue,
  ) {}

  async build(scope: AttentionScope): Promise<AttentionItemView[]> {
    const { ownerId, now } = scope;
    const list = (kind: 'channel' | 'endpoint' | 'webhook_output') => this.alerts.list(ownerId, kind, now, MOST_IDS);
    const found = await Promise.all([
      this.buildSettled(scope, 'in_doubt'),
      list('channel').then((channels) => this.buildChannels(channels, ownerId)),
      list('endpoint').then((endpoints) => buildDisabled('endpoint_disabled', endpoints, ownerId)),
      this.buildQuota(scope),
      this.buildSettled(scope, 'failed'),
      list('webhook_output').then((outputs) => buildDisabled('webhook_output_disabled', outputs, ownerId)),
    ]);
    return found.filter((attention) => attention !== null);
  }

  private async buildSettled(
    { ownerId, networks }: AttentionScope,
    state: 'in_doubt' | 'failed',
  ): Promise<AttentionItemView | null> {
    const found = await this.activity.findSettled(ownerId, state, MOST_IDS);
    if (!found) return null;
    const known = networks.reduce((sum, network) => sum + network[state], 0);
    const count = found.ids.length < MOST_IDS ? found.ids.length : Math.max(known, MOST_IDS);
    const subject = await this.describePublication(found);
    const values = {
      excerpt: subject.excerpt ?? TEXTS.noText,
      platform: this.titleOf(subject.platform),
      channel: subject.channel_name ?? TEXTS.deletedChannel,
      reason: asSentence(subject.message ?? ''),
    };
    const [code, one, many, label] =
      state === 'in_doubt'
        ? (['in_doubt', TEXTS.inDoubt, TEXTS.manyInDoubt, 'resolve'] as const)
        : (['publication_failed', TEXTS.publicationFailed, TEXTS.manyFailed, 'view_reason'] as const);
    return {
      ...{ code, since: iso(found.since), count, ids: found.ids, subject },
      text: count === 1 ? one(values) : many({ count }),
      action:
        count === 1 ? viewing(label, `/publications/${subject.id}`) : viewingList(`/posts?state=${state}`, ownerId),
    };
  }

  private async describePublication({ ids }: SettledPublications): Promise<AttentionSubject> {
    const id = ids[0]!;
    const found = (await this.details.find([id])).get(id);
    if (!found) return { ...NO_SUBJECT, id, publication_id: id };
    const { row, channel_name, owner_name } = found;
    const excerpts = await this.excerpts.find([row.post_id]);
    const error = row.attempts.findLast((attempt) => attempt.error !== null)?.error;
    return {
      ...{ ...NO_SUBJECT, id, publication_id: id, post_id: row.post_id, owner_id: row.owner_id, owner_name },
      ...{ platform: row.platform, channel_id: row.channel_id, channel_name, name: channel_name },
      excerpt: excerpts.get(row.post_id) ?? null,
      ...{ code: error?.code ?? null, message: error?.message ?? null, platform_says: error?.platform_says ?? null },
    };
  }

  private async buildChannels(list: AlertList, ownerId: string | null): Promise<AttentionItemView | null> {
    const { count, alerts } = list;
    const [first] = alerts;
    if (!first) return null;
    const { id, name, platform, attention } = first;
    const reason = asSentence(attention?.message ?? first.reason ?? '');
    const values = { channel: name ?? id, platform: this.titleOf(platform), reason };
    return {
      code: 'channel_needs_attention',
      ...describeAlerts(list),
      text: count === 1 ? TEXTS.channelNeedsAttention(values) : TEXTS.manyChannels({ count }),
      action:
        count === 1
          ? { label_code: 'retry', method: 'POST', path: `/channels/${id}/retry` }
          : viewingList('/channels?status=needs_attention', ownerId),
      subject: {
        ...describeAlert(first),
        ...{ channel_id: id, channel_name: name, code: attention?.code ?? null },
        ...{ message: attention?.message ?? first.reason, platform_says: attention?.platform_says ?? null },
        waiting: await this.alerts.countWaiting(id),
      },
    };
  }

  /** The posts are used up since the owner's latest publication. */
  private async buildQuota({ ownerId, now, usedUp }: AttentionScope): Promise<AttentionItemView | null> {
    const ofOwner = usedUp === null ? [] : [usedUp];
    const owners =
      ownerId === null ? await this.usedUp.find(now, monthlyPostsOf(this.settings.limitsProfile)) : ofOwner;
    const published = await this.activity.findLastPublished(owners.map(({ owner_id }) => owner_id));
    return buildUsedUp(owners, (id) => published.get(id) ?? now);
  }

  private titleOf(platform: string | null): string {
    return platform === null ? '' : (this.platforms.find(platform)?.title ?? platform);
  }
}
