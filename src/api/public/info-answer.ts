import { type Instant, iso } from '../../kernel/instant.js';
import { ENTITY_TYPES, LIMITS, MEDIA_TYPES } from '../../payload/payload.js';
import type { EndpointAccess } from '../../projections/discovery/endpoint-access.queries.js';
import type { DiscoveredProject } from '../../projections/discovery/endpoint-targets.queries.js';

/** Spec: GET …/info, response. Names are null unless discovery is verbose; ends of pauses are always there. */
export interface InfoAnswer {
  readonly endpoint: { readonly slug: string; readonly name: string | null; readonly verbose: boolean };
  readonly projects: readonly {
    /** From 0, in the order of the endpoint's projects. */
    readonly index: number;
    readonly name: string | null;
    readonly paused_until: string | null;
    readonly targets: readonly {
      readonly id: string;
      readonly platform: string;
      readonly name: string | null;
      readonly paused_until: string | null;
    }[];
  }[];
  readonly capabilities: typeof CAPABILITIES;
}

/** Exact rate limits are left out on purpose (publish-api.md: GET …/info, 3). */
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
  },
} as const;

/** What discovery answers at a moment: a pause that has passed is none. */
export const infoAnswer = (
  { slug, name, verbose_discovery: verbose }: Pick<EndpointAccess, 'slug' | 'name' | 'verbose_discovery'>,
  projects: readonly DiscoveredProject[],
  now: Instant,
): InfoAnswer => {
  const named = (given: string | null): string | null => (verbose ? given : null);
  const pausedUntil = (until: Instant): string | null => (until > now ? iso(until) : null);
  return {
    endpoint: { slug, name: named(name), verbose },
    projects: projects.map((project, index) => ({
      index,
      name: named(project.name),
      paused_until: pausedUntil(project.paused_until),
      targets: project.targets.map((target) => ({
        id: target.channel_id,
        platform: target.platform,
        name: named(target.name),
        paused_until: pausedUntil(target.paused_until),
      })),
    })),
    capabilities: CAPABILITIES,
  };
};
