import type { Pool } from 'pg';

/** A live endpoint that is on, and the position of the event that switched it on last. */
export interface LiveEndpoint {
  readonly endpointId: string;
  readonly epoch: string;
}

/** Endpoints that take posts as long as their owner's plan does; a test token is for every plan (D-12). */
export class LiveEndpoints {
  constructor(private readonly pool: Pool) {}

  /** An owner's, those alone that are on. */
  async of(ownerId: string): Promise<readonly LiveEndpoint[]> {
    const { rows } = await this.pool.query<LiveEndpoint>({
      name: 'live endpoints',
      text: `select endpoint_id as "endpointId", epoch from discovery.endpoint
             where owner_id = $1 and mode = 'live' and disabled_by is null order by endpoint_id`,
      values: [ownerId],
    });
    return rows;
  }
}
