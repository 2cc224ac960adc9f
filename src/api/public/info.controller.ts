import { Controller, Get, Inject, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, type Clock, type Instant, iso } from '../../kernel/clock.js';
import { ENTITY_TYPES, LIMITS, MEDIA_TYPES } from '../../payload/payload.js';
import { MAX_SCHEDULE_DAYS } from '../../payload/publish-at.js';
import { type DiscoveredProject, FindEndpointTargets } from '../../projections/discovery/discovery.queries.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { Documented } from '../documentation/documented.js';
import { Gate } from './gate/gate.js';

/**
 * The allowed payload content. Exact rate limits are omitted on purpose (publish-api.md: GET /v1/webhooks/{slug}/info,
 * 3).
 */
const CAPABILITIES = {
  entity_types: ENTITY_TYPES,
  media_types: MEDIA_TYPES,
  limits: {
    max_text_length: LIMITS.text,
    max_media: LIMITS.media,
    max_buttons_rows: LIMITS.buttonRows,
    max_buttons_per_row: LIMITS.buttonsPerRow,
    max_payload_bytes: LIMITS.payloadBytes,
    max_pause_minutes: LIMITS.pauseMinutes,
    max_schedule_days: MAX_SCHEDULE_DAYS,
  },
  features: ['publish_at', 'overrides', 'withdraw', 'edit', 'statistics', 'pin', 'silent', 'media_upload'],
} as const;

/** The endpoint that discovery describes. */
export class InfoEndpointView {
  readonly slug: string;
  /** Null unless discovery is verbose. */
  readonly name: string | null;
  /** True if discovery shows names. */
  readonly verbose: boolean;
  /** Always true. Absent unless posts require approval. */
  readonly requires_approval?: true;

  constructor({ slug, name, verbose_discovery, requires_approval }: DiscoveringEndpoint) {
    this.slug = slug;
    this.name = verbose_discovery ? name : null;
    this.verbose = verbose_discovery;
    if (requires_approval) this.requires_approval = true;
  }
}

/** A channel that receives posts sent to the endpoint. */
export class InfoTargetView {
  /** The id that posts and pauses use to refer to the target. */
  readonly id: string;
  readonly platform: string;
  /** Null unless discovery is verbose. */
  readonly name: string | null;
  /** The end of the channel's pause, ISO 8601; null if it is not paused. */
  readonly paused_until: string | null;

  constructor(target: DiscoveredProject['targets'][number], isVerbose: boolean, now: Instant) {
    this.id = target.channel_id;
    this.platform = target.platform;
    this.name = isVerbose ? target.name : null;
    this.paused_until = endOfPause(target.paused_until, now);
  }
}

/** A project that the endpoint is bound to. */
export class InfoProjectView {
  /** Zero-based position among the endpoint's projects. */
  readonly index: number;
  /** Null unless discovery is verbose. */
  readonly name: string | null;
  /** The end of the project's pause, ISO 8601; null if it is not paused. */
  readonly paused_until: string | null;
  readonly targets: readonly InfoTargetView[];

  constructor(project: DiscoveredProject, index: number, isVerbose: boolean, now: Instant) {
    this.index = index;
    this.name = isVerbose ? project.name : null;
    this.paused_until = endOfPause(project.paused_until, now);
    this.targets = project.targets.map((target) => new InfoTargetView(target, isVerbose, now));
  }
}

/**
 * The discovery response (publish-api.md: GET /v1/webhooks/{slug}/info). Pause ends are shown whether or not discovery
 * is verbose.
 */
export class InfoView {
  readonly endpoint: InfoEndpointView;
  readonly projects: readonly InfoProjectView[];
  /** Entity types, media types and limits for payloads. */
  readonly capabilities: typeof CAPABILITIES;

  constructor(endpoint: DiscoveringEndpoint, projects: readonly DiscoveredProject[], now: Instant) {
    const { verbose_discovery: isVerbose } = endpoint;
    this.endpoint = new InfoEndpointView(endpoint);
    this.projects = projects.map((project, index) => new InfoProjectView(project, index, isVerbose, now));
    this.capabilities = CAPABILITIES;
  }
}

type DiscoveringEndpoint = Pick<EndpointSnapshot, 'slug' | 'name' | 'verbose_discovery' | 'requires_approval'>;

/** Returns the end of a pause; null if it has passed. */
const endOfPause = (until: Instant, now: Instant): string | null => (until > now ? iso(until) : null);

/** Handles discovery requests (publish-api.md: GET /v1/webhooks/{slug}/info). */
@Controller('v1/webhooks/:slug')
export class InfoController {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly gate: Gate,
    private readonly findEndpointTargets: FindEndpointTargets,
  ) {}

  @Documented({ summary: 'Discover projects, targets and capabilities' })
  @Get('info')
  async info(@Req() request: FastifyRequest, @Param('slug') slug: string): Promise<InfoView> {
    const { endpoint } = await this.gate.admit(request, slug, 'discovery');
    const projects = await this.findEndpointTargets.execute(endpoint.endpoint_id);
    return new InfoView(endpoint, projects, this.clock.now());
  }
}
