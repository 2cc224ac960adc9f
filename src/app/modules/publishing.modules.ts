import { Module } from '@nestjs/common';
import { Metrics } from '../../health/metrics.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../outbound-http/address-policy.js';
import { GuardedClient } from '../../outbound-http/guarded-client.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import { Publishers } from '../../platforms/publishers.js';
import { CircuitBreaker, LibreTranslate } from '../../processing/translation/libre-translate.js';
import { SecretVault } from '../../secrets/vault.js';
import { Database } from '../database.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { Resources } from '../resources.js';
import { NETWORKS, type Networks, startNetworks } from '../stand-ins.js';
import { MetricsModule, PostgresModule, SecretsModule } from './infrastructure.modules.js';

/** The networks: their catalogue, base URLs, stand-ins and publishers. */
@Module({
  imports: [PostgresModule, MetricsModule],
  providers: [
    {
      provide: NETWORKS,
      // Stand-ins keep files below DATA_DIR, which an open embedded database reserves for this process.
      inject: [PROCESS_OPTIONS, Resources, Database],
      useFactory: async ({ settings, log, overrides }: ProcessOptions, resources: Resources): Promise<Networks> => {
        const networks = await resources.open(
          () => startNetworks(settings, log, overrides?.networks),
          (opened) => opened.stop(),
        );
        return { ...networks, urls: { ...networks.urls, ...overrides?.networkUrls } };
      },
    },
    { provide: PlatformCatalogue, inject: [NETWORKS], useFactory: ({ platforms }: Networks) => platforms },
    {
      provide: Publishers,
      inject: [NETWORKS, PROCESS_OPTIONS, Resources, Metrics],
      useFactory: async (
        { platforms, urls }: Networks,
        { overrides, settings }: ProcessOptions,
        resources: Resources,
        metrics: Metrics,
      ) => {
        const options = {
          ...(overrides?.callTimeoutMs !== undefined && { timeoutMs: overrides.callTimeoutMs }),
          ...(settings.extraCertificates && { extraCertificates: settings.extraCertificates }),
        };
        const publishers = platforms.createPublishers(urls, options, metrics.unknownErrorCounter());
        await resources.add(() => Promise.all(publishers.map((publisher) => publisher.close())));
        return new Publishers(publishers);
      },
    },
  ],
  exports: [PlatformCatalogue, NETWORKS, Publishers],
})
export class PlatformsModule {}

/** How long a worker waits for a translation, in ms. */
const TRANSLATION_MS = 30_000;

/** Processes posts before publication: provides the translation service client. */
@Module({
  imports: [SecretsModule],
  providers: [
    {
      provide: CircuitBreaker,
      inject: [ADDRESS_POLICY, SecretVault, Resources],
      useFactory: async (policy: AddressPolicy, vault: SecretVault, resources: Resources) => {
        const client = new GuardedClient({ policy, timeouts: { headersMs: TRANSLATION_MS } });
        await resources.add(() => client.close());
        return new CircuitBreaker(new LibreTranslate(client, vault, TRANSLATION_MS));
      },
    },
  ],
  exports: [CircuitBreaker],
})
export class ProcessingModule {}
