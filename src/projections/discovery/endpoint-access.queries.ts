import type { Pool } from 'pg';
import type { Platform } from '../../domain/channel/channel.events.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import { Batcher } from '../../runtime/batcher.js';
import type { EndpointRow } from './discovery.tables.js';

/** All that a request to an endpoint is judged by. */
export interface EndpointAccess extends EndpointRow {
  readonly plan: Plan;
  /** Of all the owner's post packs together (D-18). */
  readonly pack_posts: number;
  /** In the order of the endpoint's `project_ids`. */
  readonly projects: readonly AccessProject[];
}

/** A project of an endpoint, with its channels. */
export interface AccessProject {
  readonly project_id: string;
  /** In the order of the project's `channel_ids`. */
  readonly channels: readonly { readonly channel_id: string; readonly platform: Platform; readonly enabled: boolean }[];
}

const CACHE_SIZE = 10_000;

/**
 * Pictures of endpoints, by slug. What is remembered may be out of date: nobody may be let in by it until its version
 * was confirmed (by the limiter, with the request's own call), and nobody turned away until {@link fresh} agrees. So a
 * rotated token, a new slug or a changed allowlist counts at once in every process, and costs no query of its own.
 */
export class EndpointAccessQueries {
  private readonly cache = new Map<string, EndpointAccess>();
  private readonly versions: Batcher<string, string | null>;
  private readonly loads: Batcher<string, EndpointAccess | null>;

  constructor(private readonly pool: Pool) {
    this.versions = new Batcher((slugs) => this.readVersions(slugs));
    this.loads = new Batcher((slugs) => this.load(slugs), { lanes: 2, max: 100 });
  }

  /** The endpoint at a slug as this process saw it last; null where it has not. */
  known(slug: string): EndpointAccess | null {
    return this.cache.get(slug) ?? null;
  }

  /**
   * The endpoint at a slug as it is now; null where there is none. The very object that {@link known} answers where it
   * has not changed. An endpoint that is known and one that does not exist cost the same one query.
   */
  async fresh(slug: string): Promise<EndpointAccess | null> {
    const version = await this.versions.call(slug);
    const known = this.known(slug);
    if (version === (known?.version ?? null)) return known;
    return this.remember(slug, version === null ? null : await this.loads.call(slug));
  }

  /** The slug of the endpoint with this token (SHA-256, hex); the sandbox finds its endpoint so (D-12). */
  async slugOfToken(hash: string): Promise<string | null> {
    const text = 'select slug from discovery.endpoint where token_hash = $1';
    const { rows } = await this.pool.query<{ slug: string }>({ name: 'slug of token', text, values: [hash] });
    return rows[0]?.slug ?? null;
  }

  private remember(slug: string, access: EndpointAccess | null): EndpointAccess | null {
    this.cache.delete(slug);
    if (!access) return null;
    if (this.cache.size >= CACHE_SIZE) this.cache.delete(this.cache.keys().next().value!);
    this.cache.set(slug, access);
    return access;
  }

  private async readVersions(slugs: readonly string[]): Promise<(string | null)[]> {
    const { rows } = await this.pool.query<{ slug: string; version: string }>({
      name: 'endpoint versions',
      text: 'select slug, version from discovery.endpoint where slug = any($1)',
      values: [[...new Set(slugs)]],
    });
    const found = new Map(rows.map(({ slug, version }) => [slug, version]));
    return slugs.map((slug) => found.get(slug) ?? null);
  }

  private async load(slugs: readonly string[]): Promise<(EndpointAccess | null)[]> {
    const { rows } = await this.pool.query<{ access: EndpointAccess }>({
      name: 'endpoint access',
      text: `
        select to_jsonb(e) || jsonb_build_object('plan', o.plan, 'pack_posts', o.pack_posts, 'projects', coalesce((
          select jsonb_agg(jsonb_build_object('project_id', p.project_id, 'channels', coalesce((
            select jsonb_agg(jsonb_build_object('channel_id', c.channel_id, 'platform', c.platform, 'enabled', c.enabled) order by ci.n)
            from unnest(p.channel_ids) with ordinality ci(id, n) join discovery.channel c on c.channel_id = ci.id), '[]')) order by pi.n)
          from unnest(e.project_ids) with ordinality pi(id, n) join discovery.project p on p.project_id = pi.id), '[]')) as access
        from discovery.endpoint e join discovery.owner o on o.owner_id = e.owner_id
        where e.slug = any($1)`,
      values: [[...new Set(slugs)]],
    });
    const found = new Map(rows.map(({ access }) => [access.slug, access]));
    return slugs.map((slug) => found.get(slug) ?? null);
  }
}
