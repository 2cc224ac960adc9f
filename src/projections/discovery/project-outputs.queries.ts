import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { WebhookKind } from '../../domain/webhook-output/webhook-output.events.js';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from './discovery.tables.js';

/** An enabled webhook output. */
export interface ProjectOutput {
  readonly outputId: string;
  readonly ownerId: string;
  readonly projectId: string;
  readonly kinds: readonly WebhookKind[];
}

/** Finds the webhook outputs of projects. */
@Injectable()
export class ProjectOutputs {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Finds the enabled outputs of projects that subscribe to any of these kinds, oldest first. */
  async findWanting(projectIds: readonly string[], kinds: readonly WebhookKind[]): Promise<readonly ProjectOutput[]> {
    const { rows } = await this.pool.query<ProjectOutput>({
      name: 'outputs that want',
      text: `select webhook_output_id as "outputId", owner_id as "ownerId", project_id as "projectId", kinds
             from ${DISCOVERY}.webhook_output
             where project_id = any($1) and disabled_by is null and kinds && $2::text[] order by webhook_output_id`,
      values: [projectIds, kinds],
    });
    return rows;
  }

  /** Returns whether any output is enabled; if not, no event needs to be read. */
  async existsAny(): Promise<boolean> {
    const { rows } = await this.pool.query<{ found: boolean }>({
      name: 'any output',
      text: `select exists (select from ${DISCOVERY}.webhook_output where disabled_by is null) as found`,
    });
    return rows[0]!.found;
  }
}
