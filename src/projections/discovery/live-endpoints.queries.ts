import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY, type EndpointRow } from './discovery.tables.js';

type LiveEndpoint = { readonly endpointId: string } & Pick<EndpointRow, 'epoch'>;

/** Finds live endpoints. They need a plan that allows live posts, while test tokens work with every plan (D-12). */
@Injectable()
export class LiveEndpoints {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

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
