import { Module } from '@nestjs/common';
import { ConsoleController, ConsoleFiles } from '../../api/console/console.controller.js';
import { DocsController, OpenApiController } from '../../api/documentation/docs.controller.js';
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
import { TransferController } from '../../api/management/history/transfer.controller.js';
import {
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
import { PlansController } from '../../api/management/plans/plans.controller.js';
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
import {
  OneTimeCode,
  SessionsController,
  SignInController,
} from '../../api/management/sessions/sessions.controller.js';
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
import { GatewayCalls, RefusedCalls, ToolServer } from '../../api/mcp/tool-server.js';
import { ToolSessions } from '../../api/mcp/tool-sessions.js';
import { ToolsController } from '../../api/mcp/tools.controller.js';
import { ChangeForecasts } from '../../api/public/change.views.js';
import { ChangeReceiver } from '../../api/public/change-receiver.js';
import { ContentEdits } from '../../api/public/content-edits.js';
import { PostStatusViewBuilder } from '../../api/public/endpoint-post.js';
import { Authentication } from '../../api/public/gate/authentication.js';
import { Gate } from '../../api/public/gate/gate.js';
import { Identification } from '../../api/public/gate/identification.js';
import { LimitGuard } from '../../api/public/gate/limit-guard.js';
import { ContentCheck } from '../../api/public/gate/parsed-post.js';
import { RequestRecorder } from '../../api/public/gate/request-recorder.js';
import { InfoController } from '../../api/public/info.controller.js';
import { MediaUploadController, UploadGate } from '../../api/public/media-upload.controller.js';
import { PausesController } from '../../api/public/pauses.controller.js';
import { AcceptanceSlots, MediaCheck, ProbePayments, UploadCheck } from '../../api/public/payload-check.js';
import { PostChangesController, PostStatusController, WebhooksController } from '../../api/public/posts.controller.js';
import { PreviewPatterns } from '../../api/public/sandbox/network-preview.js';
import { Sandbox, SandboxController } from '../../api/public/sandbox/sandbox.controller.js';
import { SandboxPreview, SandboxTranslation } from '../../api/public/sandbox/sandbox-preview.js';
import { UnauthenticatedBodies } from '../../api/transport/body-reader.js';
import { MediaFilesController, UploadReceiver } from '../../api/uploads/media-files.controller.js';
import { ChangeFeed } from '../../changes/change-feed.js';
import { WallsController } from '../walls.controller.js';
import { HealthModule } from './health.module.js';
import { HistoryModule } from './history.module.js';

/** The public API, /v1: publishing behind the gate, pauses, discovery and the sandbox. */
@Module({
  controllers: [
    WebhooksController,
    PausesController,
    InfoController,
    PostStatusController,
    PostChangesController,
    SandboxController,
    MediaUploadController,
    MediaFilesController,
  ],
  providers: [
    Gate,
    Identification,
    Authentication,
    LimitGuard,
    ContentCheck,
    UnauthenticatedBodies,
    RequestRecorder,
    ChangeReceiver,
    ChangeForecasts,
    ContentEdits,
    PostStatusViewBuilder,
    Sandbox,
    SandboxPreview,
    PreviewPatterns,
    ProbePayments,
    AcceptanceSlots,
    SandboxTranslation,
    MediaCheck,
    UploadGate,
    UploadReceiver,
    UploadCheck,
  ],
  exports: [
    Gate,
    ChangeReceiver,
    ContentEdits,
    PreviewPatterns,
    Sandbox,
    SandboxTranslation,
    ProbePayments,
    RequestRecorder,
    UnauthenticatedBodies,
    UploadReceiver,
  ],
})
export class PublicApiModule {}

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
    ProcessingPreview,
    ChangeForecasts,
    PublicationViewBuilder,
    ...[OverviewBuilder, OverviewFactsReader, ChecksBuilder],
    WrongKeyLockout,
  ],
  exports: [WrongKeyLockout],
})
export class ManagementApiModule {}

/** The web console, /console. */
@Module({ controllers: [ConsoleController], providers: [ConsoleFiles], exports: [ConsoleFiles] })
export class ConsoleModule {}

/** The documentation of the API: /openapi.json and /docs (D-31). */
@Module({ controllers: [OpenApiController, DocsController] })
export class DocumentationModule {}

/** Role `tools`: the assistant tool server. Its tools send requests to the public API within the process (ADR-161). */
@Module({
  imports: [PublicApiModule],
  controllers: [ToolsController],
  providers: [GatewayCalls, RefusedCalls, ToolServer, ToolSessions],
})
export class ToolsModule {}

/** The walls of the stand-ins, in demo mode. */
@Module({ controllers: [WallsController] })
export class WallsModule {}

/** Sign-in with the link that is printed at startup, in demo mode. */
@Module({ imports: [ManagementApiModule], controllers: [SignInController], providers: [OneTimeCode] })
export class SignInModule {}
