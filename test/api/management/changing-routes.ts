import 'reflect-metadata';
import { RequestMethod, type Type } from '@nestjs/common';
import { DOCUMENTATION, type RouteDocumentation } from '../../../src/api/documentation/documented.js';
import { ManagementApiModule } from '../../../src/app/modules/api.modules.js';

/** A route of the management API. */
export interface ManagementRoute {
  readonly method: string;
  /** Path below `/manage/v1`: `/channels/:id/pause`. */
  readonly path: string;
  /** Error message for an owner's key, if only the operator may call the route. */
  readonly operatorOnly: string | undefined;
  /** True for a POST that changes nothing. */
  readonly isQuestion: boolean;
}

/** Lists the routes of the management API. */
export const listManagementRoutes = (): ManagementRoute[] => {
  const controllers = Reflect.getMetadata('controllers', ManagementApiModule) as Type[];
  return controllers.flatMap((controller) => {
    const base = (Reflect.getMetadata('path', controller) as string).replace('manage/v1', '');
    const handlers = Object.getOwnPropertyNames(controller.prototype)
      .map((name) => (controller.prototype as Record<string, unknown>)[name] as object)
      .filter((handler) => Reflect.hasMetadata('method', handler));
    return handlers.map((handler) => {
      const method = RequestMethod[Reflect.getMetadata('method', handler) as RequestMethod];
      const path = Reflect.getMetadata('path', handler) as string;
      const { operatorOnly, isQuestion = false } = Reflect.getMetadata(DOCUMENTATION, handler) as RouteDocumentation;
      return { method, path: `${base}${path === '/' ? '' : `/${path}`}`, operatorOnly, isQuestion };
    });
  });
};

/** Lists the routes of the management API that change something: `POST /channels/:id/pause`. */
export const listChangingRoutes = (): string[] =>
  listManagementRoutes()
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);
