import { type DynamicModule, Global, Module } from '@nestjs/common';
import { completeKeys, type Keys } from '../../config/generated-keys.js';
import { LIMITS_PROFILE, SETTINGS } from '../../config/tokens.js';
import { CLOCK, MINUTE_MS, systemClock } from '../../kernel/clock.js';
import { LOG } from '../../kernel/log.js';
import { ADDRESS_POLICY, createAddressPolicy } from '../../outbound-http/address-policy.js';
import { PROJECTIONS } from '../../projections/engine/projection.js';
import { SetAsidePosts } from '../../sagas/release-planned-posts/set-aside-posts.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { KEYS, PROCESS_OPTIONS, type ProcessOptions, processSettings } from '../process-options.js';
import { projectionsOf } from '../projections.js';
import { Resources } from '../resources.js';

/** Settings, keys, log, clock and resources, for every module. */
@Global()
@Module({})
export class CoreModule {
  static forRoot(options: ProcessOptions, resources: Resources): DynamicModule {
    return {
      module: CoreModule,
      providers: [
        { provide: PROCESS_OPTIONS, useValue: options },
        { provide: Resources, useValue: resources },
        SetAsidePosts,
        { provide: LOG, useValue: options.log },
        { provide: CLOCK, useValue: options.overrides?.clock ?? systemClock },
        { provide: KEYS, useFactory: () => completeKeys(options.settings) },
        {
          provide: KeyRing,
          inject: [KEYS],
          useFactory: ({ secretsKey }: Keys) => new KeyRing(secretsKey, options.settings.secretsKeysPrevious),
        },
        { provide: SETTINGS, inject: [KEYS], useFactory: (keys: Keys) => processSettings(options.settings, keys) },
        { provide: MINUTE_MS, useValue: options.settings.minuteMs },
        { provide: ADDRESS_POLICY, useValue: createAddressPolicy(options.settings.allowPrivateAddresses) },
        { provide: LIMITS_PROFILE, useValue: options.settings.limitsProfile },
        { provide: PROJECTIONS, useValue: projectionsOf(options.settings) },
      ],
      exports: [
        PROCESS_OPTIONS,
        Resources,
        SetAsidePosts,
        LOG,
        CLOCK,
        KEYS,
        KeyRing,
        SETTINGS,
        MINUTE_MS,
        LIMITS_PROFILE,
        ADDRESS_POLICY,
        PROJECTIONS,
      ],
    };
  }
}
