import { Module } from '@nestjs/common';
import { ChangeReceiver } from '../../api/public/change-receiver.js';
import { Authentication } from '../../api/public/gate/authentication.js';
import { ContentCheck } from '../../api/public/gate/content-check.js';
import { Gate } from '../../api/public/gate/gate.js';
import { Identification } from '../../api/public/gate/identification.js';
import { LimitGuard } from '../../api/public/gate/limit-guard.js';
import { RequestRecorder } from '../../api/public/gate/request-recorder.js';
import { InfoController } from '../../api/public/info.controller.js';
import { MediaCheck, ProbePayments } from '../../api/public/media-check.js';
import { PausesController } from '../../api/public/pauses.controller.js';
import { PostChangesController, PostStatusController, WebhooksController } from '../../api/public/posts.controller.js';
import { PreviewPatterns } from '../../api/public/sandbox/network-preview.js';
import { Sandbox, SandboxController } from '../../api/public/sandbox/sandbox.controller.js';
import { SandboxPreview, SandboxTranslation } from '../../api/public/sandbox/sandbox-preview.js';
import { UnauthenticatedBodies } from '../../api/transport/request-memory.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { Inspector } from '../../media/inspector.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../outbound-http/address-policy.js';
import { RequestSlots } from '../../outbound-http/request-slots.js';
import { CommandsModule } from './commands.module.js';
import { MediaModule, PostgresModule, SecretsModule } from './infrastructure.modules.js';
import { LimitsModule } from './limits.module.js';
import { PlatformsModule } from './publishing.modules.js';
import { ReadModelsModule } from './read-models.module.js';

/** Maximum number of concurrent requests for posts that are not accepted yet: media checks, translations (D-51). */
const REQUEST_SLOTS = { perHost: 32, inAll: 256 };

/** The public API, /v1: publishing behind the gate, pauses, discovery and the sandbox. */
@Module({
  imports: [
    PostgresModule,
    CommandsModule,
    ReadModelsModule,
    LimitsModule,
    SecretsModule,
    MediaModule,
    PlatformsModule,
  ],
  controllers: [
    WebhooksController,
    PausesController,
    InfoController,
    PostStatusController,
    PostChangesController,
    SandboxController,
  ],
  providers: [
    Gate,
    Identification,
    Authentication,
    LimitGuard,
    ContentCheck,
    { provide: UnauthenticatedBodies, useFactory: () => new UnauthenticatedBodies() },
    RequestRecorder,
    ChangeReceiver,
    Sandbox,
    SandboxPreview,
    PreviewPatterns,
    ProbePayments,
    { provide: RequestSlots, useFactory: () => new RequestSlots(REQUEST_SLOTS) },
    SandboxTranslation,
    {
      provide: MediaCheck,
      inject: [SETTINGS, ADDRESS_POLICY, RequestSlots, Inspector],
      useFactory: ({ mediaProbe }: Settings, policy: AddressPolicy, slots: RequestSlots, inspector: Inspector) =>
        new MediaCheck(policy, slots, mediaProbe ? inspector : null),
    },
  ],
  exports: [
    Gate,
    ChangeReceiver,
    PreviewPatterns,
    Sandbox,
    SandboxTranslation,
    ProbePayments,
    RequestRecorder,
    UnauthenticatedBodies,
  ],
})
export class PublicApiModule {}
