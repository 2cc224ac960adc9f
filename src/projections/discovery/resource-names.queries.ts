import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from './discovery.tables.js';

/** Finds the names of channels and endpoints, and the URLs of webhook outputs. */
@Injectable()
export class ResourceNames {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns the known names, by id. Deleted resources and endpoints without a name have none. */
  async find(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const { rows } = await this.pool.query<{ id: string; name: string }>({
      name: 'names of resources',
      text: `
        select channel_id as id, name from ${DISCOVERY}.channel where channel_id = any($1)
        union all
        select endpoint_id, name from ${DISCOVERY}.endpoint where endpoint_id = any($1) and name is not null
        union all
        select webhook_output_id, url from ${DISCOVERY}.webhook_output where webhook_output_id = any($1)`,
      values: [ids],
    });
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
