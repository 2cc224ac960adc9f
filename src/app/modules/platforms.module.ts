import { Module } from '@nestjs/common';
import { Metrics } from '../../health/metrics.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import { Publishers } from '../../platforms/publishers.js';
import { Database } from '../database.js';
import { PROCESS_OPTIONS, type ProcessOptions } from '../process-options.js';
import { Resources } from '../resources.js';
import { NETWORKS, type Networks, startNetworks } from '../stand-ins.js';
import { MetricsModule } from './metrics.module.js';
import { PostgresModule } from './postgres.module.js';

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
