import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import type { IdPrefix } from '../../kernel/ids.js';
import { given } from '../../validation/absence.js';
import type { Sent } from '../../validation/check-fields.js';
import { FindThing, type Kind, ListThings, type Things } from '../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { callerOf, listScopeOf, scopeOf } from './caller.js';
import { readQuery } from './request-body.js';
import { ID_FORM } from './id.pipe.js';
import { cursorOf, type ListAnswer, listAnswer, pageOf, PageQuery } from './page.js';
import { notFound } from './refusals.js';
import { Is } from './rules.js';

class ListQuery extends PageQuery {
  /** Only this owner's; to the operator, who else sees everyone's, and to that owner. */
  @Is.like(ID_FORM, 'an id such as own_…')
  readonly owner_id: string | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.owner_id = given(sent.owner_id) as string | undefined;
  }
}

/** The query of a list of things with such ids. */
const listQueryOf = (prefix: IdPrefix): typeof ListQuery => {
  class QueryOfKind extends ListQuery {
    @cursorOf(prefix)
    declare readonly cursor: string | undefined;
  }
  return QueryOfKind;
};

const QUERIES: Readonly<Record<Kind, typeof ListQuery>> = {
  owner: listQueryOf('own'),
  channel: listQueryOf('tgt'),
  project: listQueryOf('prj'),
  endpoint: listQueryOf('ep'),
};

/** Things as their caller may see them: an owner its own, the operator all (management-api.md: Manners). */
@Injectable()
export class OwnedThings {
  constructor(
    private readonly queries: QueryBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  /** @throws HttpProblem 404 where there is none, or none of the caller's */
  async find<K extends Kind>(request: FastifyRequest, kind: K, id: string): Promise<Things[K]> {
    await this.upToDate(request);
    const thing = await this.queries.execute(new FindThing(kind, id, scopeOf(callerOf(request))));
    if (!thing) throw notFound(kind);
    return thing;
  }

  /** A page of them, the newest first. */
  async list<K extends Kind>(
    request: FastifyRequest,
    kind: K,
    show: (rows: readonly Things[K][]) => readonly object[] | Promise<readonly object[]>,
  ): Promise<ListAnswer> {
    const query = readQuery(request, QUERIES[kind]);
    const page = pageOf(query);
    const scope = listScopeOf(callerOf(request), query.owner_id);
    await this.upToDate(request);
    const rows = await this.queries.execute(new ListThings(kind, scope, { before: page.after, limit: page.limit + 1 }));
    return listAnswer(rows, page, (row) => idOf(kind, row), show);
  }

  /** Who reads sees what was done over /v1 and by the gateway itself, too; a change waits for its own view. */
  private async upToDate({ method }: FastifyRequest): Promise<void> {
    if (method === 'GET') await this.progress.catchUp(['discovery'], this.store);
  }
}

const idOf = <K extends Kind>(kind: K, row: Things[K]): string =>
  (row as unknown as Readonly<Record<string, string>>)[`${kind}_id`]!;
