import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { type Clock, CLOCK } from '../../kernel/clock.js';
import type { IdPrefix } from '../../kernel/ids.js';
import { nullToAbsent } from '../../validation/absence.js';
import type { Sent } from '../../validation/check-fields.js';
import type { SentClass } from '../../validation/json-schema.js';
import {
  type ChannelStatus,
  FindResource,
  type ResourceKind,
  ListResources,
  type ResourceRows,
} from '../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { getCaller, getListScope, getOwnerScope } from './caller.js';
import { readQuery } from './request-body.js';
import { ID_PATTERN } from './id.pipe.js';
import { isCursorOf, type ListView, buildListView, toPage, PageQuery } from './page.js';
import { notFoundProblem } from './http-problems.js';
import { Must } from '../../validation/rules.js';
import { CHANNEL_STATUSES } from './channels/channel.view.js';
import { Is } from './rules.js';

/** The query of a list of resources. */
export class ListQuery extends PageQuery {
  /** Only this owner's resources. The operator sees all owners' without it; an owner may name itself only. */
  @Is.matching(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.owner_id = nullToAbsent(sent.owner_id) as string | undefined;
  }
}

/** Creates the query of a list of resources with such ids. */
const createListQuery = (prefix: IdPrefix): typeof ListQuery => {
  class KindListQuery extends ListQuery {
    @isCursorOf(prefix)
    declare readonly cursor: string | undefined;
  }
  return KindListQuery;
};

/** The query of the list of channels. */
export class ChannelListQuery extends createListQuery('tgt') {
  /** Only channels in this state. */
  @Must.beOneOf(CHANNEL_STATUSES)
  readonly status: ChannelStatus | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.status = nullToAbsent(sent.status) as ChannelStatus | undefined;
  }
}

const QUERIES: Readonly<Record<ResourceKind, typeof ListQuery>> = {
  owner: createListQuery('own'),
  channel: ChannelListQuery,
  project: createListQuery('prj'),
  endpoint: createListQuery('ep'),
  webhook_output: createListQuery('whk'),
};

/** Returns the class of the query of a list, for its documentation. */
export const listQueryOf = (kind: ResourceKind): SentClass => QUERIES[kind];

/** Finds the resources that a caller may see: an owner its own, the operator all (management-api.md: Manners). */
@Injectable()
export class OwnedResources {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly queries: QueryBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  /** @throws HttpProblem 404 if there is none, or none that the caller may see */
  async findResource<K extends ResourceKind>(request: FastifyRequest, kind: K, id: string): Promise<ResourceRows[K]> {
    await this.catchUpReadModels(request);
    const resource = await this.queries.execute(new FindResource(kind, id, getOwnerScope(getCaller(request))));
    if (!resource) throw notFoundProblem(kind.replace('_', ' '));
    return resource;
  }

  /** Returns one page of resources, the newest first. */
  async listResources<K extends ResourceKind, V>(
    request: FastifyRequest,
    kind: K,
    show: (rows: readonly ResourceRows[K][]) => readonly V[] | Promise<readonly V[]>,
  ): Promise<ListView<V>> {
    const query = readQuery(request, QUERIES[kind]);
    const page = toPage(query);
    const scope = getListScope(getCaller(request), query.owner_id);
    await this.catchUpReadModels(request);
    const rows = await this.queries.execute(
      new ListResources(kind, scope, { before: page.after, limit: page.limit + 1 }, this.readStatus(query)),
    );
    return buildListView(rows, page, (row) => getRowId(kind, row), show);
  }

  private readStatus(query: ListQuery): ListResources<'channel'>['status'] {
    const is = query instanceof ChannelListQuery ? query.status : undefined;
    return is === undefined ? null : { is, at: this.clock.now() };
  }

  /** Lets a reader see changes made over /v1 and by the gateway itself; a change waits for its own read models. */
  private async catchUpReadModels({ method }: FastifyRequest): Promise<void> {
    if (method === 'GET') await this.progress.waitUntilCaughtUp(['discovery'], this.store);
  }
}

const getRowId = <K extends ResourceKind>(kind: K, row: ResourceRows[K]): string =>
  (row as unknown as Readonly<Record<string, string>>)[`${kind}_id`]!;
