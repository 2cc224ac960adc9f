import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Platform } from '../../domain/channel/channel.events.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { Unavailable } from '../../event-store/port.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { Batcher } from '../../runtime/batcher.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { ProjectionProgress } from '../engine/progress.js';
import { DISCOVERY, type EndpointRow, RESOURCE } from './discovery.tables.js';

/** An endpoint with everything that its requests are checked against. */
export interface EndpointSnapshot extends EndpointRow {
  readonly plan: Plan;
  /** Total number of posts in the owner's post packs (D-18). */
  readonly pack_posts: number;
  /** In the order of the endpoint's `project_ids`. */
  readonly projects: readonly SnapshotProject[];
}

/** A project of an endpoint, with its channels. */
export interface SnapshotProject {
  readonly project_id: string;
  /** In the order of the project's `channel_ids`. */
  readonly channels: readonly { readonly channel_id: string; readonly platform: Platform; readonly enabled: boolean }[];
}

const CACHE_SIZE = 10_000;

/**
 * Endpoint snapshots by slug. A cached snapshot may be outdated, so a request is admitted only after the limiter has
 * verified the snapshot's version, and rejected only after {@link loadCurrent} has confirmed the snapshot. A rotated
 * token or a changed allowlist therefore takes effect at once in every process, without an extra query.
 */
@Injectable()
export class EndpointSnapshots {
  private cache = new BoundedCache<EndpointSnapshot>(CACHE_SIZE);
  private readonly versions: Batcher<string, string | null>;
  private readonly loads: Batcher<string, EndpointSnapshot | null>;
  private isBuilt = false;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    progress: ProjectionProgress,
    notifications: Notifications,
  ) {
    this.versions = new Batcher((slugs) => this.readVersions(slugs));
    this.loads = new Batcher((slugs) => this.loadSnapshots(slugs), { concurrency: 2, maxBatchSize: 100 });
    // Another version of `discovery` may have fixed rows without changing their version.
    progress.onVersions('discovery', () => this.clear());
    notifications.onLoss(() => this.clear());
  }

  private clear(): void {
    this.cache = new BoundedCache(CACHE_SIZE);
  }

  /** Returns the snapshot that this process loaded last; null if there is none. */
  getCached(slug: string): EndpointSnapshot | null {
    return this.cache.get(slug) ?? null;
  }

  /**
   * Returns the current snapshot; null if no endpoint has this slug. If the endpoint has not changed, it is the same
   * object that {@link getCached} returns. A known endpoint and an unknown slug cost the same single query.
   * @throws Unavailable while it is not known whether the endpoint exists
   */
  async loadCurrent(slug: string): Promise<EndpointSnapshot | null> {
    const { cache } = this;
    const version = await this.versions.submit(slug);
    const cached = this.getCached(slug);
    if (version === null) await this.requireBuilt();
    if (version === (cached?.version ?? null)) return cached;
    const snapshot = version === null ? null : await this.loads.submit(slug);
    // Values read before a rebuild went live must not be kept after it.
    if (cache !== this.cache) return this.loadCurrent(slug);
    if (snapshot) cache.set(slug, snapshot);
    else cache.delete(slug);
    return snapshot;
  }

  /**
   * Finds the slug of the endpoint with this token hash (SHA-256, hex) for the sandbox (D-12); null if there is none.
   */
  async findSlugByTokenHash(hash: string): Promise<string | null> {
    const text = `select slug from ${DISCOVERY}.endpoint where token_hash = $1`;
    const { rows } = await this.pool.query<{ slug: string }>({ name: 'slug of token', text, values: [hash] });
    if (!rows[0]) await this.requireBuilt();
    return rows[0]?.slug ?? null;
  }

  /** Finds the current slug of an endpoint; null if there is no such endpoint. */
  async findSlugById(endpointId: string): Promise<string | null> {
    const text = `select slug from ${DISCOVERY}.endpoint where endpoint_id = $1`;
    const { rows } = await this.pool.query<{ slug: string }>({ name: 'slug of endpoint', text, values: [endpointId] });
    return rows[0]?.slug ?? null;
  }

  /**
   * Verifies that an endpoint that was not found really does not exist: `discovery` must have reached the end of the
   * log at least once. It has not yet done so on a new database for an existing event store, or after `projections
   * reset --to-store`.
   * @throws Unavailable
   */
  private async requireBuilt(): Promise<void> {
    if (this.isBuilt) return;
    if (!(await isDiscoveryBuilt(this.pool))) throw new Unavailable(`the read model "discovery" is still being built`);
    this.isBuilt = true;
  }

  private async readVersions(slugs: readonly string[]): Promise<(string | null)[]> {
    const { rows } = await this.pool.query<{ slug: string; version: string }>({
      name: 'endpoint versions',
      text: `select slug, version from ${DISCOVERY}.endpoint where slug = any($1)`,
      values: [[...new Set(slugs)]],
    });
    const found = new Map(rows.map(({ slug, version }) => [slug, version]));
    return slugs.map((slug) => found.get(slug) ?? null);
  }

  private async loadSnapshots(slugs: readonly string[]): Promise<(EndpointSnapshot | null)[]> {
    const { rows } = await this.pool.query<{ snapshot: EndpointSnapshot }>({
      name: 'endpoint snapshots',
      text: `
        select ${RESOURCE} || jsonb_build_object('plan', o.plan, 'pack_posts', o.pack_posts, 'projects', coalesce((
          select jsonb_agg(jsonb_build_object('project_id', p.project_id, 'channels', coalesce((
            select jsonb_agg(jsonb_build_object('channel_id', c.channel_id, 'platform', c.platform, 'enabled', c.enabled) order by ci.n)
            from unnest(p.channel_ids) with ordinality ci(id, n) join ${DISCOVERY}.channel c on c.channel_id = ci.id), '[]')) order by pi.n)
          from unnest(t.project_ids) with ordinality pi(id, n) join ${DISCOVERY}.project p on p.project_id = pi.id), '[]')) as snapshot
        from ${DISCOVERY}.endpoint t join ${DISCOVERY}.owner o on o.owner_id = t.owner_id
        where t.slug = any($1)`,
      values: [[...new Set(slugs)]],
    });
    const found = new Map(rows.map(({ snapshot }) => [snapshot.slug, snapshot]));
    return slugs.map((slug) => found.get(slug) ?? null);
  }
}

/** Returns whether the live version of `discovery` has ever reached the end of the log. */
export const isDiscoveryBuilt = async (pool: Pool): Promise<boolean> => {
  const { rows } = await pool.query<{ level: boolean }>({
    name: 'discovery is built',
    text: `select c.level from ops_projection p
      join ops_checkpoint c on c.name = p.name and c.version = p.live_version where p.name = 'discovery'`,
  });
  return rows[0]?.level ?? false;
};
