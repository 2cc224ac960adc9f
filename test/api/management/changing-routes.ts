import 'reflect-metadata';
import { RequestMethod, type Type } from '@nestjs/common';
import { ManagementApiModule } from '../../../src/app/modules/management-api.module.js';

/** Lists the routes of the management API that change something: `POST /channels/:id/pause`. */
export const listChangingRoutes = (): string[] => {
  const controllers = Reflect.getMetadata('controllers', ManagementApiModule) as Type[];
  return controllers.flatMap((controller) => {
    const base = (Reflect.getMetadata('path', controller) as string).replace('manage/v1', '');
    const handlers = Object.getOwnPropertyNames(controller.prototype)
      .map((name) => (controller.prototype as Record<string, unknown>)[name] as object)
      .filter((handler) => Reflect.hasMetadata('method', handler));
    return handlers
      .map((handler) => {
        const method = RequestMethod[Reflect.getMetadata('method', handler) as RequestMethod];
        const path = Reflect.getMetadata('path', handler) as string;
        return `${method} ${base}${path === '/' ? '' : `/${path}`}`;
      })
      .filter((route) => !route.startsWith('GET '));
  });
};
