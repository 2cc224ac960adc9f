import { Global, Module, type Provider } from '@nestjs/common';
import type { Pool } from 'pg';
import { ARCHIVE_HISTORY } from '../../commands/archive-history.js';
import { USE_CASES } from '../../commands/use-cases.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { Drafts } from '../../drafts/drafts.js';
import { CheckedEventStore } from '../../event-store/checked-event-store.js';
import { Metrics } from '../../health/metrics.js';
import { JobTable } from '../../jobs/job.js';
import { LOG, type Log } from '../../kernel/log.js';
import { ChangeBudget, PreviewBudget, ProbeBudget } from '../../limits/budgets.js';
import { Limiter } from '../../limits/limiter.js';
import { MonthlyQuota } from '../../limits/monthly-quota.js';
import { ResourceReservations } from '../../limits/resource-reservations.js';
import { Publishers } from '../../platforms/platform-catalogue.js';
import { POOL } from '../../postgres/tokens.js';
import { SampleNow } from '../../statistics/sample-now.js';
import { Sampler } from '../../statistics/sampler.js';
import { PublicationStatistics, StatisticsQueries } from '../../statistics/statistics.queries.js';
import { StatisticsTable } from '../../statistics/statistics.table.js';
import { ArchiveCheck } from '../../uploads/archive-check.js';
import { FILE_STORE, type FileStore } from '../../uploads/file-store.js';
import { LocatedPosts } from '../../uploads/located-posts.js';
import { MediaNeeds } from '../../uploads/media-needs.js';
import { FileReceiver } from '../../uploads/receive-file.js';
import { StoreStatus } from '../../uploads/store-status.js';
import { UploadReader } from '../../uploads/upload-reader.js';
import { UploadReservations } from '../../uploads/upload-reservations.js';
import { UploadedFiles } from '../../uploads/uploaded-files.js';
import { Database } from '../database.js';
import { openFileStore } from '../media-files.js';
import { NETWORKS, type Networks, startNetworks } from '../networks.js';
import { PROCESS_OPTIONS, type ProcessOptions, Resources } from '../process-options.js';
import { linkToWall } from '../walls.controller.js';

const LIMITS: Provider[] = [ChangeBudget, Limiter, MonthlyQuota, PreviewBudget, ProbeBudget, ResourceReservations];

const NETWORK_ACCESS: Provider[] = [
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
  {
    provide: Publishers,
    inject: [NETWORKS, PROCESS_OPTIONS, SETTINGS, Resources, Metrics],
    useFactory: async (
      { platforms, urls, standIns }: Networks,
      { overrides }: ProcessOptions,
      settings: Settings,
      resources: Resources,
      metrics: Metrics,
    ) => {
      const options = {
        ...(overrides?.callTimeoutMs !== undefined && { timeoutMs: overrides.callTimeoutMs }),
        ...(settings.extraCertificates && { extraCertificates: settings.extraCertificates }),
      };
      const hasWall = (network: string): boolean => standIns.some(({ platform }) => platform === network);
      const publishers = platforms
        .createPublishers(urls, options, metrics.unknownErrorCounter())
        .map((each) => (hasWall(each.platform) ? linkToWall(each, () => settings.baseUrl) : each));
      await resources.add(() => Promise.all(publishers.map((publisher) => publisher.close())));
      return new Publishers(publishers);
    },
  },
];

const STATISTICS: Provider[] = [PublicationStatistics, SampleNow, Sampler, StatisticsQueries, StatisticsTable];

const UPLOADS: Provider[] = [
  {
    provide: FILE_STORE,
    inject: [SETTINGS, Resources],
    useFactory: (settings: Settings, resources: Resources) => openFileStore(settings, resources),
  },
  {
    provide: StoreStatus,
    inject: [POOL, FILE_STORE, LOG, SETTINGS],
    useFactory: async (pool: Pool, store: FileStore, log: Log, { roles }: Settings) => {
      const status = new StoreStatus(pool, store, log);
      if (roles.has('api') || roles.has('worker')) await status.claim();
      return status;
    },
  },
  {
    provide: ArchiveCheck,
    // After StoreStatus has claimed the store: every file would be missing from a wrong one.
    inject: [CheckedEventStore, JobTable, LOG, SETTINGS, Resources, StoreStatus],
    useFactory: async (
      { archive }: CheckedEventStore,
      jobs: JobTable,
      log: Log,
      { roles }: Settings,
      resources: Resources,
    ) => {
      const check = new ArchiveCheck(archive, () => jobs.isRunning(ARCHIVE_HISTORY), log);
      await resources.add(() => check.stop());
      if (roles.has('api') || roles.has('worker')) check.start();
      return check;
    },
  },
  FileReceiver,
  LocatedPosts,
  MediaNeeds,
  UploadedFiles,
  UploadReader,
  UploadReservations,
];

const SHARED = [...USE_CASES, ...LIMITS, ...NETWORK_ACCESS, ...STATISTICS, ...UPLOADS, Drafts, JobTable];

/** What the interfaces share with the worker: commands, limits, networks, statistics, uploaded files and the table of jobs. */
@Global()
@Module({ providers: SHARED, exports: SHARED })
export class SharedModule {}
