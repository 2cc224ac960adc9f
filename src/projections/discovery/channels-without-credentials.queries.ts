import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Address } from '../../domain/channel/channel.events.js';
import type { Instant } from '../../kernel/instant.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from './discovery.tables.js';

/** A channel whose credentials are named in its events but missing from the vault. */
export interface ChannelWithoutCredentials {
  readonly channelId: string;
  readonly platform: string;
  readonly address: Address;
  readonly credentialsId: string;
}

/** Finds channels whose credentials were lost with an earlier database or not moved with the history. */
@Injectable()
export class ChannelsWithoutCredentials {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Finds channels without credentials that are not already marked as needing attention. */
  async find(now: Instant, limit: number): Promise<ChannelWithoutCredentials[]> {
    const { rows } = await this.pool.query<ChannelWithoutCredentials>({
      name: 'channels without credentials',
      text: `select channel_id as "channelId", platform, address, credentials_id as "credentialsId" from ${DISCOVERY}.channel c
             where attention_until <= $1 and not exists (select from ops_secret s where s.secret_id = c.credentials_id)
             order by channel_id limit $2`,
      values: [now, limit],
    });
    return rows;
  }
}
