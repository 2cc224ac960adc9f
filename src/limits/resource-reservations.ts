import type { Pool } from 'pg';

/** A place among an owner's resources of one kind. */
export interface ResourcePlace {
  readonly ownerId: string;
  /** Table of the read model `discovery` that shows the resources of the kind. */
  readonly table: 'channel' | 'project' | 'endpoint' | 'webhook_output';
  /** Id of the resource. */
  readonly id: string;
}

/** The result of a reservation. */
export interface ReservedPlace {
  readonly isReserved: boolean;
  /** Number of the owner's other resources of the kind, those that are being created included. */
  readonly existing: number;
}

/**
 * Places for resources that are being created, so that concurrent creations together stay within a cap (D-67, ADR-209). The
 * read model `discovery` counts the resources that exist; a reservation counts until it shows there, at most ten minutes.
 */
export class ResourceReservations {
  constructor(private readonly pool: Pool) {}

  /** Reserves a place unless the cap is reached. A resource that has a place, or exists, keeps it. @param cap from 0 */
  async reserve({ ownerId, table, id }: ResourcePlace, cap: number): Promise<ReservedPlace> {
    const { rows } = await this.pool.query<{ is_reserved: boolean; existing: string }>({
      name: 'reserve resource',
      text: 'select * from ops_reserve_resource($1, $2, $3, $4)',
      values: [ownerId, table, id, cap],
    });
    const { is_reserved, existing } = rows[0]!;
    return { isReserved: is_reserved, existing: Number(existing) };
  }

  /** Gives a place back: the resource is counted by the read model, or was not created. */
  async release(id: string): Promise<void> {
    const text = 'delete from ops_resource_reservation where resource_id = $1';
    await this.pool.query({ name: 'release resource', text, values: [id] });
  }
}
