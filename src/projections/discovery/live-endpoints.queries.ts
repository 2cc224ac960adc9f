import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from './discovery.tables.js';

/** An enabled live endpoint, with the position of the event that created it or last enabled it. */
export interface LiveEndpoint {
  readonly endpointId: string;
  readonly epoch: string;
}

/** Live endpoints, which accept posts only if their owner's plan allows it; test tokens work with every plan (D-12). */
@Injectable()
export class LiveEndpoints {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Finds the enabled live endpoints of an owner. */
  async findEnabled(ownerId: string): Promise<readonly LiveEndpoint[]> {
    const { rows } = await this.pool.query<LiveEndpoint>({
      name: 'live endpoints',
      text: `select endpoint_id as "endpointId", epoch from ${DISCOVERY}.endpoint
             where owner_id = $1 and mode = 'live' and disabled_by is null order by endpoint_id`,
      values: [ownerId],
    });
    return rows;
  }
}
