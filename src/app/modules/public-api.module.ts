import { Module } from '@nestjs/common';
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
import { MediaFilesController, UPLOAD_TIMES, UploadReceiver } from '../../api/uploads/media-files.controller.js';
import { DEFAULT_UPLOAD_TIMES } from '../../api/uploads/upload-body.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';

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
    {
      provide: UPLOAD_TIMES,
      inject: [PROCESS_OPTIONS],
      useFactory: ({ overrides }: ProcessOptions) => overrides?.uploadTimes ?? DEFAULT_UPLOAD_TIMES,
    },
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
