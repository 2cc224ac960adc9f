import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../postgres/tokens.js';

/** A place that a resource takes up under a cap of its owner or its project. */
export interface ResourcePlace {
  /** The owner, or for `project_output` the project, whose resources are counted. */
  readonly holderId: string;
  /** Table in the read model `discovery` that lists resources of this type; `project_output`: a project's outputs. */
  readonly kind: 'channel' | 'project' | 'endpoint' | 'webhook_output' | 'project_output' | 'key';
  readonly id: string;
}

/** The result of a reservation. */
export interface ReservedPlace {
  readonly isReserved: boolean;
  /** Number of the holder's other resources of this type, including those being created. */
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
  async reserve({ holderId, kind, id }: ResourcePlace, cap: number): Promise<ReservedPlace> {
    const { rows } = await this.pool.query<{ is_reserved: boolean; existing: string }>({
      name: 'reserve resource',
      text: 'select * from ops_reserve_resource($1, $2, $3, $4)',
      values: [holderId, kind, id, cap],
    });
    const { is_reserved, existing } = rows[0]!;
    return { isReserved: is_reserved, existing: Number(existing) };
  }

  /** Reserves a place for a planned post unless the cap is reached (D-79). @param cap 0 or more */
  async reservePlannedPost(ownerId: string, postId: string, cap: number): Promise<ReservedPlace> {
    const { rows } = await this.pool.query<{ is_reserved: boolean; existing: string }>({
      name: 'reserve planned post',
      text: 'select * from ops_reserve_planned_post($1, $2, $3)',
      values: [ownerId, postId, cap],
    });
    const { is_reserved, existing } = rows[0]!;
    return { isReserved: is_reserved, existing: Number(existing) };
  }

  /** Releases a resource's reservations once the read model counts the resource, or if the resource was not created. */
  async release(id: string): Promise<void> {
    const text = 'delete from ops_resource_reservation where resource_id = $1';
    await this.pool.query({ name: 'release resource', text, values: [id] });
  }
}
