import type { Type } from '@nestjs/common';
import type { IQuery, IQueryHandler } from '@nestjs/cqrs';
import {
  FindChannelsOfChatHandler,
  FindMissingIdsHandler,
  FindOwnerByKeyHandler,
  FindResourceHandler,
  ListResourcesHandler,
} from '../../projections/discovery/discovery.queries.js';
import { FindPostHandler, ListPostsHandler } from '../../projections/posts/posts.queries.js';
import { FindPublicationHandler, ListReceiptsHandler } from '../../projections/posts/publications.queries.js';
import { FindPostsLeftHandler } from '../../projections/posts/usage.queries.js';
import { FindHoldsHandler } from '../../projections/publish-schedule/holds.queries.js';
import { ListRequestsHandler } from '../../projections/request-log/request-log.queries.js';
import {
  FindDeliveryHandler,
  FindFailedDeliveriesHandler,
  ListDeliveriesHandler,
} from '../../projections/webhook-deliveries/webhook-deliveries.queries.js';

/** The handlers of the management API's queries. */
export const queryHandlers: readonly Type<IQueryHandler<IQuery>>[] = [
  FindResourceHandler,
  ListResourcesHandler,
  FindMissingIdsHandler,
  FindChannelsOfChatHandler,
  FindOwnerByKeyHandler,
  FindPostHandler,
  ListPostsHandler,
  FindPublicationHandler,
  ListReceiptsHandler,
  FindPostsLeftHandler,
  FindHoldsHandler,
  ListRequestsHandler,
  FindDeliveryHandler,
  ListDeliveriesHandler,
  FindFailedDeliveriesHandler,
];
