import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { type LimitsProfile, type PlanLimits, type ResourceCaps } from '../../../config/limits-profile.js';
import type { Settings } from '../../../config/settings.js';
import { SETTINGS } from '../../../config/tokens.js';
import { type Plan, PLANS } from '../../../domain/owner/owner.events.js';
import { Documented } from '../../documentation/documented.js';
import { ApiKeyGuard } from '../api-key.guard.js';

/** A request limit in a sliding window. */
export class BurstView {
  readonly requests: number;
  readonly per_seconds: number;

  constructor({ requests, perSeconds }: NonNullable<PlanLimits['burst']>) {
    this.requests = requests;
    this.per_seconds = perSeconds;
  }
}

/** The caps of one plan; null means unlimited (D-67). */
export class ResourceCapsView {
  readonly channels: number | null;
  readonly projects: number | null;
  /** Total of live and test endpoints. */
  readonly endpoints: number | null;
  /** Total across all of the owner's projects. */
  readonly webhook_outputs: number | null;
  /** Webhook outputs of one project (D-82). */
  readonly outputs_per_project: number | null;
  /** Maximum number of channels that one post may address. */
  readonly targets_per_post: number | null;
  /** Maximum number of posts that wait for their time or for approval. */
  readonly planned_posts: number | null;
  /** Named keys, without the main key and auditors' keys. */
  readonly keys: number | null;
  /** Maximum total size of uploaded files, in bytes. */
  readonly media_bytes: number | null;

  constructor(caps: ResourceCaps) {
    this.channels = caps.channels;
    this.projects = caps.projects;
    this.endpoints = caps.endpoints;
    this.webhook_outputs = caps.webhookOutputs;
    this.outputs_per_project = caps.outputsPerProject;
    this.targets_per_post = caps.targetsPerPost;
    this.planned_posts = caps.plannedPosts;
    this.keys = caps.keys;
    this.media_bytes = caps.mediaBytes;
  }
}

/** The limits of one plan, named as in the limits profile; null means unlimited (management-api.md: LIMITS_PROFILE). */
export class PlanLimitsView {
  /** Maximum burst of accepted posts per endpoint. */
  readonly burst: BurstView | null;
  /** Maximum number of accepted posts per endpoint and UTC hour. */
  readonly hourly: number | null;
  /** Maximum number of successful publications per UTC month, not counting post packs. */
  readonly monthly_posts: number | null;
  /** Maximum number of sandbox calls per UTC day. */
  readonly sandbox_daily: number | null;
  readonly webhook_input: boolean;
  readonly webhook_output: boolean;
  /** Caps on an owner's resources and a post's targets. */
  readonly resources: ResourceCapsView;

  constructor(limits: PlanLimits) {
    this.burst = limits.burst && new BurstView(limits.burst);
    this.hourly = limits.hourly;
    this.monthly_posts = limits.monthlyPosts;
    this.sandbox_daily = limits.sandboxDaily;
    this.webhook_input = limits.webhookInput;
    this.webhook_output = limits.webhookOutput;
    this.resources = new ResourceCapsView(limits.resources);
  }
}

/** Limits that apply to every plan, named as in the limits profile; null means unlimited. */
const commonFigures = (profile: LimitsProfile) => ({
  min_interval: profile.minInterval,
  discovery_per_minute: profile.discoveryPerMinute,
  pauses_per_minute: profile.pausesPerMinute,
  changes_per_minute: profile.changesPerMinute,
  management_changes_per_minute: profile.managementChangesPerMinute,
  uploads_per_minute: profile.uploadsPerMinute,
  replays_per_minute: profile.replaysPerMinute,
  probes_per_minute: profile.probesPerMinute,
  probe_bytes_per_minute: profile.probeBytesPerMinute,
  preview_ms_per_minute: profile.previewMsPerMinute,
  violations_to_disable: profile.violationsToDisable,
});

/** Limits that apply to every plan. */
export type CommonFigures = ReturnType<typeof commonFigures>;

/** The current limits profile: the response to `GET /plans`, in the format of a profile file. */
export type PlansView = { readonly plans: Readonly<Record<Plan, PlanLimitsView>> } & CommonFigures;

/** Builds the view of the current limits profile. */
export const buildPlansView = (profile: LimitsProfile): PlansView => {
  const plans = PLANS.map((plan) => [plan, new PlanLimitsView(profile.plans[plan])] as const);
  return { plans: Object.fromEntries(plans) as Record<Plan, PlanLimitsView>, ...commonFigures(profile) };
};

/** An owner's limits: the limits of its plan, plus the limits common to all plans. */
export type OwnerLimitsView = PlanLimitsView & CommonFigures;

/** Builds the view of an owner's limits. */
export const buildOwnerLimitsView = (plan: Plan, profile: LimitsProfile): OwnerLimitsView => ({
  ...new PlanLimitsView(profile.plans[plan]),
  ...commonFigures(profile),
});

/** Shows the current limits of all plans (management-api.md: Routes; D-15). */
@Controller('manage/v1/plans')
@UseGuards(ApiKeyGuard)
export class PlansController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Documented({ summary: "Show the plans' figures", scope: 'read', forLimitedKeys: true })
  @Get()
  get(): PlansView {
    return buildPlansView(this.settings.limitsProfile);
  }
}
