import type { Provider, Type } from '@nestjs/common';
import { ChannelsController } from './channels/channels.controller.js';
import { Changes } from './changes.js';
import { EndpointSecretsController } from './endpoints/endpoint-secrets.controller.js';
import { EndpointViews } from './endpoints/endpoint-views.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { RequestLogController } from './endpoints/request-log.controller.js';
import { IdempotentAnswers } from './idempotent-answers.js';
import { KeyGuard } from './key.guard.js';
import { OwnedThings } from './owned-resources.js';
import { OwnersController } from './owners/owners.controller.js';
import { PostsController } from './posts/posts.controller.js';
import { PublicationViews } from './posts/publication-views.js';
import { PublicationsController } from './posts/publications.controller.js';
import { ProjectsController } from './projects/projects.controller.js';
import { queryHandlers } from './query-handlers.js';
import { Quotas } from './quotas.js';

/** The management API, /manage/v1 (D-32): what the composition root takes in. */
export const manage: { readonly controllers: readonly Type[]; readonly providers: readonly Provider[] } = {
  controllers: [
    OwnersController,
    ChannelsController,
    ProjectsController,
    EndpointsController,
    EndpointSecretsController,
    RequestLogController,
    PostsController,
    PublicationsController,
  ],
  providers: [
    Changes,
    EndpointViews,
    IdempotentAnswers,
    KeyGuard,
    OwnedThings,
    PublicationViews,
    Quotas,
    ...queryHandlers,
  ],
};
