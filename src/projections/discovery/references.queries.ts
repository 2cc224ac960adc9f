import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../../postgres/tokens.js';
import { DISCOVERY } from './discovery.tables.js';

/** Finds references between resources, so that deletions leave no dangling ids. */
@Injectable()
export class References {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Finds the projects that refer to a channel, oldest first. */
  findProjectsNaming(channelId: string): Promise<readonly string[]> {
    const selection = `project_id as id from ${DISCOVERY}.project where channel_ids @> $1`;
    return this.findIds('projects naming', selection, [[channelId]]);
  }

  /** Finds the endpoints that refer to a project, oldest first. */
  findEndpointsNaming(projectId: string): Promise<readonly string[]> {
    const selection = `endpoint_id as id from ${DISCOVERY}.endpoint where project_ids @> $1`;
    return this.findIds('endpoints naming', selection, [[projectId]]);
  }

  /** Finds the webhook outputs of a project, oldest first. */
  findOutputsOf(projectId: string): Promise<readonly string[]> {
    const selection = `webhook_output_id as id from ${DISCOVERY}.webhook_output where project_id = $1`;
    return this.findIds('outputs of project', selection, [projectId]);
  }

  /** Finds everything that belongs to an owner, even if the owner no longer exists. */
  async findOwned(ownerId: string) {
    const find = (kind: 'endpoint' | 'project' | 'channel' | 'webhook_output') =>
      this.findIds(`${kind}s of owner`, `${kind}_id as id from ${DISCOVERY}.${kind} where owner_id = $1`, [ownerId]);
    return {
      endpoints: await find('endpoint'),
      projects: await find('project'),
      channels: await find('channel'),
      outputs: await find('webhook_output'),
      /** Without the main key, which ends with the owner. */
      keys: await this.findIds(
        'keys of owner',
        `key_id as id from ${DISCOVERY}.key where owner_id = $1 and not is_main`,
        [ownerId],
      ),
    };
  }

  private async findIds(name: string, selection: string, values: unknown[]): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>({ name, text: `select ${selection} order by id`, values });
    return rows.map(({ id }) => id);
  }
}

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
