import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResourceKind, ResourceRows } from '../../projections/discovery/discovery.queries.js';
import { IdPipe } from './id.pipe.js';
import { OwnedResources } from './owned-resources.js';

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
    const id = new IdPipe().transform((request.params as { readonly id: string }).id);
    return { request, reply, id, resource: await this.resources.findResource(request, kind, id) };
  }
}

const decorate = createParamDecorator((kind: ResourceKind, context): Sought => ({ kind, ...callOf(context) }));

/**
 * Injects the {@link ResourceCall} into the handler of a route with `:id`. Responds 404 if the resource does not exist
 * or the caller may not see it, so no handler can forget that check.
 */
export const OfResource = (kind: ResourceKind): ParameterDecorator => decorate(kind, FindResourcePipe);
