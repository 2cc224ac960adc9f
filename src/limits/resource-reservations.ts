import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../postgres/tokens.js';

/** A place that one of an owner's resources takes up under the cap for its type. */
export interface ResourcePlace {
  readonly ownerId: string;
  /** Table in the read model `discovery` that lists resources of this type. */
  readonly table: 'channel' | 'project' | 'endpoint' | 'webhook_output';
  readonly id: string;
}

/** The result of a reservation. */
export interface ReservedPlace {
  readonly isReserved: boolean;
  /** Number of the owner's other resources of this type, including those being created. */
  readonly existing: number;
}

/**
 * Reserves places for resources that are being created, so that concurrent creations cannot exceed a cap (D-67,
 * ADR-209). The read model `discovery` counts the resources that exist; a reservation counts until the resource appears
 * there, for at most ten minutes.
 */
@Injectable()
export class ResourceReservations {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Reserves a place unless the cap is reached. A resource that already has a place keeps it. @param cap 0 or more */
  async reserve({ ownerId, table, id }: ResourcePlace, cap: number): Promise<ReservedPlace> {
    const { rows } = await this.pool.query<{ is_reserved: boolean; existing: string }>({
      name: 'reserve resource',
      text: 'select * from ops_reserve_resource($1, $2, $3, $4)',
      values: [ownerId, table, id, cap],
    });
    const { is_reserved, existing } = rows[0]!;
    return { isReserved: is_reserved, existing: Number(existing) };
  }

  /** Releases a reservation once the read model counts the resource, or if the resource was not created. */
  async release(id: string): Promise<void> {
    const text = 'delete from ops_resource_reservation where resource_id = $1';
    await this.pool.query({ name: 'release resource', text, values: [id] });
  }
}
