import { Module } from '@nestjs/common';
import { Admission } from '../../api/public/gate/admission.js';
import { Authentication } from '../../api/public/gate/authentication.js';
import { Gate } from '../../api/public/gate/gate.js';
import { LimitGuard } from '../../api/public/gate/limit-guard.js';
import { RequestRecorder } from '../../api/public/gate/request-recorder.js';
import { InfoController } from '../../api/public/info.controller.js';
import { MediaCheck } from '../../api/public/media-check.js';
import { PostStatusController } from '../../api/public/post-status.controller.js';
import { PausesController } from '../../api/public/pauses.controller.js';
import { PostReceiver } from '../../api/public/post-receiver.js';
import { ProbePayments } from '../../api/public/probe-payments.js';
import { SandboxPreview } from '../../api/public/sandbox/sandbox-preview.js';
import { SandboxTranslation } from '../../api/public/sandbox/sandbox-translation.js';
import { Sandbox } from '../../api/public/sandbox/sandbox.js';
import { SandboxController } from '../../api/public/sandbox/sandbox.controller.js';
import { UnauthenticatedBodies } from '../../api/transport/unauthenticated-bodies.js';
import { WebhooksController } from '../../api/public/webhooks.controller.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { Inspector } from '../../media/inspector.js';
import { createAddressPolicy } from '../../outbound-http/address-policy.js';
import { RequestSlots } from '../../outbound-http/request-slots.js';
import { SecretVault } from '../../secrets/vault.js';
import { CommandsModule } from './commands.module.js';
import { LimitsModule } from './limits.module.js';
import { MediaModule } from './media.module.js';
import { PlatformsModule } from './platforms.module.js';
import { ReadModelsModule } from './read-models.module.js';
import { SecretsModule } from './secrets.module.js';

/** Requests that the clients of a process may cause at a time before their posts are accepted (D-51). */
const REQUEST_SLOTS = { perHost: 32, inAll: 256 };

/** The public API, /v1: publishing behind the gate, pauses, discovery and the sandbox. */
@Module({
  imports: [CommandsModule, ReadModelsModule, LimitsModule, SecretsModule, MediaModule, PlatformsModule],
  controllers: [WebhooksController, PausesController, InfoController, PostStatusController, SandboxController],
  providers: [
    Gate,
    Admission,
    Authentication,
    LimitGuard,
    { provide: UnauthenticatedBodies, useFactory: () => new UnauthenticatedBodies() },
    RequestRecorder,
    PostReceiver,
    Sandbox,
    SandboxPreview,
    ProbePayments,
    { provide: RequestSlots, useFactory: () => new RequestSlots(REQUEST_SLOTS) },
    {
      provide: SandboxTranslation,
      inject: [SETTINGS, RequestSlots, SecretVault],
      useFactory: ({ allowPrivateAddresses }: Settings, slots: RequestSlots, vault: SecretVault) =>
        new SandboxTranslation(createAddressPolicy(allowPrivateAddresses), slots, vault),
    },
    {
      provide: MediaCheck,
      inject: [SETTINGS, RequestSlots, Inspector],
      useFactory: ({ allowPrivateAddresses, mediaProbe }: Settings, slots: RequestSlots, inspector: Inspector) =>
        new MediaCheck(createAddressPolicy(allowPrivateAddresses), slots, mediaProbe ? inspector : null),
    },
  ],
  exports: [Gate, PostReceiver, Sandbox, SandboxTranslation, ProbePayments, RequestRecorder, UnauthenticatedBodies],
})
export class PublicApiModule {}
