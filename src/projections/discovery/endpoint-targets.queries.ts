import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Platform } from '../../domain/channel/channel.events.js';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from './discovery.tables.js';

/** A project of an endpoint, with the channels that its posts go to. */
export interface DiscoveredProject {
  readonly project_id: string;
  readonly name: string;
  /** End of the latest pause, which may be in the past; 0 if there was none or it was lifted. */
  readonly paused_until: Instant;
  /** Enabled channels, in the order of the project's `channel_ids`. */
  readonly targets: readonly {
    readonly channel_id: string;
    readonly platform: Platform;
    readonly name: string;
    /** Same as the project's `paused_until`, for the channel. */
    readonly paused_until: Instant;
  }[];
}

/** Finds an endpoint's projects, in the order of its `project_ids` (publish-api.md: `GET /v1/webhooks/{slug}/info`). */
@Injectable()
export class FindEndpointTargets {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute(endpointId: string): Promise<readonly DiscoveredProject[]> {
    const { rows } = await this.pool.query<DiscoveredProject & { paused_until: bigint }>({
      name: 'endpoint targets',
      text: `
        select p.project_id, p.name, p.paused_until, coalesce((
          select jsonb_agg(jsonb_build_object('channel_id', c.channel_id, 'platform', c.platform, 'name', c.name,
            'paused_until', c.paused_until) order by ci.n)
          from unnest(p.channel_ids) with ordinality ci(id, n)
          join ${DISCOVERY}.channel c on c.channel_id = ci.id and c.enabled), '[]') as targets
        from ${DISCOVERY}.endpoint e
        cross join lateral unnest(e.project_ids) with ordinality pi(id, n)
        join ${DISCOVERY}.project p on p.project_id = pi.id
        where e.endpoint_id = $1 order by pi.n`,
      values: [endpointId],
    });
    return rows.map((row) => ({ ...row, paused_until: Number(row.paused_until) }));
  }
}
