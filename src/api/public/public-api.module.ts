import type { Provider, Type } from '@nestjs/common';
import { TempPauseHandler } from '../../commands/pause/temp-pause.js';
import { TempResumeHandler } from '../../commands/pause/temp-resume.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { Inspector } from '../../media/inspector.js';
import { addressPolicy } from '../../outbound-http/address-policy.js';
import { FindEndpointTargetsHandler } from '../../projections/discovery/endpoint-targets.queries.js';
import { CountRescheduledHandler } from '../../projections/publish-schedule/rescheduled.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { InfoController } from './info.controller.js';
import { MediaCheck } from './media-check.js';
import { PausesController } from './pauses.controller.js';
import { SandboxPreview } from './sandbox/sandbox-preview.js';
import { SandboxTranslation } from './sandbox/sandbox-translation.js';
import { SandboxController } from './sandbox/sandbox.controller.js';

/** Pausing, discovery and the sandbox: what the composition root takes in beside publishing. */
export const v1: { readonly controllers: readonly Type[]; readonly providers: readonly Provider[] } = {
  controllers: [PausesController, InfoController, SandboxController],
  providers: [
    ...[TempPauseHandler, TempResumeHandler, CountRescheduledHandler, FindEndpointTargetsHandler, SandboxPreview],
    {
      provide: SandboxTranslation,
      inject: [SETTINGS, SecretVault],
      useFactory: ({ allowPrivateAddresses }: Settings, vault: SecretVault) =>
        new SandboxTranslation(addressPolicy(allowPrivateAddresses), vault),
    },
    {
      provide: MediaCheck,
      inject: [SETTINGS, Inspector],
      useFactory: ({ allowPrivateAddresses, mediaProbe }: Settings, inspector: Inspector) =>
        new MediaCheck(addressPolicy(allowPrivateAddresses), mediaProbe ? inspector : null),
    },
  ],
};
