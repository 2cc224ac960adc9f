import { createParamDecorator, type ExecutionContext, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PostPlace } from '../../commands/post/planned-posts.js';
import { CHANNEL_STATUSES, type ChannelStatus } from '../../domain/channel/channel.events.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { IdPrefix } from '../../kernel/ids.js';
import { RESOURCE_MESSAGES } from '../../kernel/messages.js';
import {
  FindResource,
  ListResources,
  type ResourceKind,
  type ResourceRows,
  type StatusFilter,
} from '../../projections/discovery/discovery.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { FindPost, type FoundPost } from '../../projections/posts/posts.queries.js';
import { Must } from '../../validation/rules.js';
import { quoteShort, wrongTypePredicate } from '../../validation/wording.js';
import {
  type BodyReader,
  buildListView,
  isCursorOf,
  type ListView,
  PageQuery,
  readQuery,
  toPage,
} from '../transport/fields.js';
import { HttpProblem, notFoundProblem } from '../transport/problem.view.js';
import { getListScope, getOwnerScope, getSight } from './api-key.guard.js';
import { ID_PATTERN, IdPipe } from './common-fields.js';
import { BODY_MESSAGES } from './messages.js';

/** Query parameters of a resource list. */
export class ListQuery extends PageQuery {
  /** Only this owner's resources. Operators may omit it to see all owners; owners may pass only their own id. */
  @Must.match(ID_PATTERN, 'an id such as own_…')
  readonly owner_id: string | undefined;
}

/** Creates the query class for a list of resources with this id prefix. */
const createListQuery = (prefix: IdPrefix): typeof ListQuery => {
  class KindListQuery extends ListQuery {
    @isCursorOf(prefix)
    declare readonly cursor: string | undefined;
  }
  return KindListQuery;
};

/** Query parameters of the channel list. */
export class ChannelListQuery extends createListQuery('tgt') {
  /** Only channels in this state. */
  @Must.beOneOf(CHANNEL_STATUSES)
  readonly status: ChannelStatus | undefined;
}

/** List query classes, by resource kind. */
export const LIST_QUERIES: Readonly<Record<ResourceKind, typeof ListQuery>> = {
  owner: createListQuery('own'),
  channel: ChannelListQuery,
  project: createListQuery('prj'),
  endpoint: createListQuery('ep'),
  webhook_output: createListQuery('whk'),
  key: createListQuery('key'),
};

/**
 * Finds the resources that a caller may see: owners see their own, the operator sees all (management-api.md: Manners).
 */
@Injectable()
export class OwnedResources {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly findResourceQuery: FindResource,
    private readonly listResourcesQuery: ListResources,
    private readonly findPostQuery: FindPost,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly progress: ProjectionProgress,
  ) {}

  /** @throws HttpProblem 404 if it does not exist or the caller may not see it */
  async findResource<K extends ResourceKind>(request: FastifyRequest, kind: K, id: string): Promise<ResourceRows[K]> {
    await this.catchUpReadModels(request);
    const { ownerId, endpointIds } = getSight(request);
    const resource = await this.findResourceQuery.execute(kind, id, ownerId, endpointIds);
    if (!resource) throw notFoundProblem(kind.replace('_', ' '));
    return resource;
  }

  /** @throws HttpProblem 404 if it does not exist or the caller may not see it */
  async findPost(request: FastifyRequest, id: string): Promise<FoundPost> {
    const { ownerId, endpointIds } = getSight(request);
    const found = await this.findPostQuery.execute(id, ownerId, endpointIds);
    if (!found) throw notFoundProblem('post');
    return found;
  }

  /**
   * Returns the owner whose history a request asks for, even if that owner is deleted; null for all owners.
   * @param owner the query's `owner_id`
   * @throws HttpProblem 404 if there never was such an owner, or the caller may not see it
   */
  async findHistoryScope(request: FastifyRequest, owner: string | undefined): Promise<string | null> {
    const scope = getListScope(request, owner);
    if (owner !== undefined && (await this.store.readStream(`owner-${owner}`, { limit: 1 })).length === 0)
      throw notFoundProblem('owner');
    return scope;
  }

  /** Returns one page of resources, newest first. */
  async listResources<K extends ResourceKind, V>(
    request: FastifyRequest,
    kind: K,
    show: (rows: readonly ResourceRows[K][]) => readonly V[] | Promise<readonly V[]>,
  ): Promise<ListView<V>> {
    const query = readQuery(request, LIST_QUERIES[kind]);
    const page = toPage(query);
    const scope = getListScope(request, query.owner_id);
    await this.catchUpReadModels(request);
    const rows = await this.listResourcesQuery.execute(
      kind,
      { ownerId: scope, endpointIds: getSight(request).endpointIds },
      { before: page.after, limit: page.limit + 1 },
      this.readStatus(query),
    );
    return buildListView(rows, page, (row) => getRowId(kind, row), show);
  }

  private readStatus(query: ListQuery): StatusFilter | null {
    const is = query instanceof ChannelListQuery ? query.status : undefined;
    return is === undefined ? null : { is, at: this.clock.now() };
  }

  /** Makes a GET wait until earlier changes are visible. Other requests wait for the read models that they change. */
  private async catchUpReadModels({ method }: FastifyRequest): Promise<void> {
    if (method === 'GET') await this.progress.waitUntilCaughtUp(['discovery'], this.store);
  }
}

const getRowId = <K extends ResourceKind>(kind: K, row: ResourceRows[K]): string =>
  (row as unknown as Readonly<Record<string, string>>)[`${kind}_id`]!;

/** A request and its reply. */
export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A request about a resource that the caller may see. */
export interface ResourceCall<K extends ResourceKind = ResourceKind> extends Call {
  readonly id: string;
  /** The resource before the request changes it. */
  readonly resource: ResourceRows[K];
}

/** A request and the id of the resource that it is about. */
export type ResourcePlace = Pick<ResourceCall, 'request' | 'id'>;

/** A request about a post that the caller may see. */
export interface PostCall extends Call {
  readonly id: string;
  /** The post before the request changes it. */
  readonly found: FoundPost;
  readonly place: PostPlace;
}

interface Sought extends Call {
  readonly kind: ResourceKind;
}

const callOf = (context: ExecutionContext): Call => {
  const http = context.switchToHttp();
  return { request: http.getRequest(), reply: http.getResponse() };
};

/** Injects the {@link Call} into a handler that returns the response body. */
export const TheCall = createParamDecorator((_: unknown, context: ExecutionContext): Call => callOf(context));

@Injectable()
class FindResourcePipe implements PipeTransform<Sought, Promise<ResourceCall>> {
  constructor(private readonly resources: OwnedResources) {}

  async transform({ kind, request, reply }: Sought): Promise<ResourceCall> {
    const id = idIn(request);
    return { request, reply, id, resource: await this.resources.findResource(request, kind, id) };
  }
}

@Injectable()
class FindPostPipe implements PipeTransform<Call, Promise<PostCall>> {
  constructor(private readonly resources: OwnedResources) {}

  async transform({ request, reply }: Call): Promise<PostCall> {
    const id = idIn(request);
    const found = await this.resources.findPost(request, id);
    const { stream, revision } = found.post;
    return { request, reply, id, found, place: { postId: id, stream, revision } };
  }
}

const idIn = ({ params }: FastifyRequest): string => new IdPipe().transform((params as { readonly id: string }).id);

const decorate = createParamDecorator((kind: ResourceKind, context): Sought => ({ kind, ...callOf(context) }));

/**
 * Injects the {@link ResourceCall} into the handler of a route with `:id`. Responds 404 if the resource does not exist
 * or the caller may not see it, so no handler can forget that check.
 */
export const OfResource = (kind: ResourceKind): ParameterDecorator => decorate(kind, FindResourcePipe);

/** Injects the {@link PostCall} into the handler of a post's route with `:id`, like {@link OfResource}. */
export const OfPost = (): ParameterDecorator => TheCall(FindPostPipe);

/**
 * Adds the owner to the body of a new resource: the caller, or the owner that the operator specifies (D-47).
 * @throws HttpProblem 404 if an owner specifies another owner
 */
export const withOwner =
  <T extends object>(request: FastifyRequest, read: BodyReader<T>): BodyReader<T & { readonly ownerId: string }> =>
  (sent, problems) => {
    const body = read(sent, problems);
    const named = sent.owner_id ?? undefined;
    const callerId = getOwnerScope(request);
    if (callerId !== null) {
      if (named !== undefined && named !== callerId) throw notFoundProblem('owner');
      return { ...body, ownerId: callerId };
    }
    if (named === undefined) problems.add(422, 'owner_id', 'missing', BODY_MESSAGES.ownerMissing);
    else if (typeof named !== 'string')
      problems.add(422, 'owner_id', 'wrong_type', wrongTypePredicate('a string', named));
    return { ...body, ownerId: named as string };
  };

/** Checks that a new resource's owner exists. @throws HttpProblem 422 if not */
export const requireOwner = async (findResource: FindResource, ownerId: string): Promise<void> => {
  if (await findResource.execute('owner', ownerId, null)) return;
  const message = RESOURCE_MESSAGES.unknownId({ id: quoteShort(ownerId) });
  throw new HttpProblem(422, 'invalid', [{ path: 'owner_id', code: 'unknown_id', message }]);
};
