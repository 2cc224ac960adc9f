import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceKind, ResourceRows } from '../../projections/discovery/discovery.queries.js';
import { IdPipe } from './id.pipe.js';
import { OwnedResources } from './owned-resources.js';

/** A request about a resource that its caller may see. */
export interface ResourceCall<K extends ResourceKind = ResourceKind> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly id: string;
  /** The resource before the request changes it. */
  readonly resource: ResourceRows[K];
}

/** A request and the id of the resource that it is about. */
export type ResourcePlace = Pick<ResourceCall, 'request' | 'id'>;

interface Sought extends Pick<ResourceCall, 'request' | 'reply'> {
  readonly kind: ResourceKind;
}

@Injectable()
class FindResourcePipe implements PipeTransform<Sought, Promise<ResourceCall>> {
  constructor(private readonly resources: OwnedResources) {}

  async transform({ kind, request, reply }: Sought): Promise<ResourceCall> {
    const id = new IdPipe().transform((request.params as { readonly id: string }).id);
    return { request, reply, id, resource: await this.resources.findResource(request, kind, id) };
  }
}

const decorate = createParamDecorator((kind: ResourceKind, context: ExecutionContext): Sought => {
  const http = context.switchToHttp();
  return { kind, request: http.getRequest(), reply: http.getResponse() };
});

/**
 * Injects the {@link ResourceCall} into the handler of a route with `:id`. The request is answered 404 if the resource
 * does not exist or the caller may not see it, so no handler can forget that check.
 */
export const OfResource = (kind: ResourceKind): ParameterDecorator => decorate(kind, FindResourcePipe);
