import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from './discovery.tables.js';

/** Finds the networks of channels. */
@Injectable()
export class ChannelPlatforms {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async find(channelIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ platform: string }>({
      name: 'networks of channels',
      text: `select distinct platform from ${DISCOVERY}.channel where channel_id = any($1)`,
      values: [channelIds],
    });
    return new Set(rows.map(({ platform }) => platform));
  }
}
