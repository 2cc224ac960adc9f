import { Module } from '@nestjs/common';
import { ApiKeyGuard, KeyUses, WrongKeyLockout } from '../../api/management/api-key.guard.js';
import { ChangePipeline, IdempotentResponses } from '../../api/management/change-pipeline.js';
import { ChannelsController, ChannelTester } from '../../api/management/channels/channels.controller.js';
import { DraftsController } from '../../api/management/drafts/drafts.controller.js';
import { EndpointViewBuilder } from '../../api/management/endpoints/endpoint.dto.js';
import {
  EndpointPostsController,
  EndpointsController,
  EndpointSecretsController,
} from '../../api/management/endpoints/endpoints.controller.js';
import { RequestLogController } from '../../api/management/endpoints/request-log.controller.js';
import { HistoryController, TicksController } from '../../api/management/history/history.controller.js';
import {
  TransferController,
  TransparencyLogController,
  VerificationController,
} from '../../api/management/history/transparency-log.controller.js';
import { JobsController } from '../../api/management/jobs/jobs.controller.js';
import { KeysController, MeController } from '../../api/management/keys/keys.controller.js';
import { MediaController } from '../../api/management/media/media.controller.js';
import {
  ChecksBuilder,
  OverviewBuilder,
  OverviewController,
} from '../../api/management/overview/overview.controller.js';
import { OverviewFactsReader } from '../../api/management/overview/overview-facts.js';
import { OwnedResources } from '../../api/management/owned-resources.js';
import { OwnersController } from '../../api/management/owners/owners.controller.js';
import { PlanQuotas, PlansController } from '../../api/management/plans/plans.controller.js';
import { PostDecisionsController, PostsController } from '../../api/management/posts/posts.controller.js';
import { PublicationViewBuilder } from '../../api/management/posts/publication.view.js';
import {
  ManagedPostChangesController,
  PublicationsController,
} from '../../api/management/posts/publications.controller.js';
import { ProjectionsController } from '../../api/management/projections/projections.controller.js';
import {
  ProcessingPreview,
  ProcessingPreviewController,
} from '../../api/management/projects/processing-preview.controller.js';
import { ProjectsController } from '../../api/management/projects/projects.controller.js';
import { RecoveryController } from '../../api/management/recovery/recovery.controller.js';
import { SagasController } from '../../api/management/sagas/sagas.controller.js';
import { SecretsController } from '../../api/management/secrets/secrets.controller.js';
import { ConsoleSessions } from '../../api/management/sessions/console-sessions.js';
import { SessionsController } from '../../api/management/sessions/sessions.controller.js';
import {
  ChannelStatisticsController,
  PostStatisticsController,
  StatisticsController,
} from '../../api/management/statistics/statistics.controller.js';
import { ChangeStreams } from '../../api/management/stream/change-streams.js';
import { StreamController } from '../../api/management/stream/stream.controller.js';
import {
  DeliveriesController,
  WebhookOutputsController,
} from '../../api/management/webhook-outputs/webhook-outputs.controller.js';
import { ChangeForecasts } from '../../api/public/change.views.js';
import { ChangeFeed } from '../../changes/change-feed.js';
import { ResourceOwners } from '../../changes/resource-owners.js';
import { HealthModule } from './health.module.js';
import { HistoryModule } from './history.module.js';
import { PublicApiModule } from './public-api.module.js';

/** The management API, /manage/v1 (D-32). It uses the public API's gate, and its requests not yet in the request log. */
@Module({
  imports: [HealthModule, HistoryModule, PublicApiModule],
  controllers: [
    OwnersController,
    ChannelsController,
    ProjectsController,
    ProcessingPreviewController,
    EndpointsController,
    EndpointSecretsController,
    EndpointPostsController,
    RequestLogController,
    PostsController,
    ManagedPostChangesController,
    PostDecisionsController,
    PublicationsController,
    DraftsController,
    PostStatisticsController,
    ChannelStatisticsController,
    StatisticsController,
    PlansController,
    TransferController,
    TransparencyLogController, // before HistoryController, whose paths would match too
    VerificationController,
    HistoryController,
    TicksController,
    WebhookOutputsController,
    DeliveriesController,
    ProjectionsController,
    SagasController,
    RecoveryController,
    JobsController,
    SecretsController,
    SessionsController,
    OverviewController,
    MediaController,
    StreamController,
    KeysController,
    MeController,
  ],
  providers: [
    ApiKeyGuard,
    ChangeFeed,
    ChangePipeline,
    ChangeStreams,
    ChannelTester,
    ConsoleSessions,
    EndpointViewBuilder,
    IdempotentResponses,
    KeyUses,
    OwnedResources,
    PlanQuotas,
    ProcessingPreview,
    ChangeForecasts,
    PublicationViewBuilder,
    ResourceOwners,
    ...[OverviewBuilder, OverviewFactsReader, ChecksBuilder],
    WrongKeyLockout,
  ],
  exports: [WrongKeyLockout],
})
export class ManagementApiModule {}
