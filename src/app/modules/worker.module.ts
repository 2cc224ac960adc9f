import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import type { Pool } from 'pg';
import { ArchiveHistory, createArchiveHandler } from '../../commands/archive-history.js';
import { createErasureHandler, EraseContent } from '../../commands/erase-content.js';
import { PauseAfterPublication } from '../../commands/pause.js';
import { SETTINGS } from '../../config/tokens.js';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore, Unavailable } from '../../event-store/port.js';
import { AggregatePlaces } from '../../history/time-travel/time-travel.js';
import { EndedLogTable } from '../../history/transparency-log/ended-logs.js';
import { LogContinuity } from '../../history/transparency-log/log-continuity.js';
import { LogTables } from '../../history/transparency-log/log-tables.js';
import { createVerificationHandler } from '../../history/transparency-log/verify-history.js';
import { JobTable } from '../../jobs/job.js';
import { JobRunner } from '../../jobs/job-runner.js';
import { LOG, type Log } from '../../kernel/log.js';
import { Inspector } from '../../media/inspector.js';
import { GuardedClient } from '../../outbound-http/guarded-client.js';
import { ADDRESS_POLICY, type AddressPolicy } from '../../outbound-http/url-rules.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { isUnavailable } from '../../postgres/unavailable.js';
import { CircuitBreaker, LibreTranslate } from '../../processing/translation/libre-translate.js';
import { NoticeChats, ProjectOutputs } from '../../projections/discovery/discovery.queries.js';
import { type Projection, PROJECTIONS } from '../../projections/engine/projection.js';
import { createRebuildHandler } from '../../projections/engine/rebuild/rebuild-job.js';
import { Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import { createProjectionVerification } from '../../projections/engine/verification/verify-projection.js';
import { DoubtfulSends } from '../../sagas/change-published/doubtful-sends.js';
import { EditPublished } from '../../sagas/change-published/edit-published.js';
import { NoticeQueue } from '../../sagas/deliver-notices/deliver-notices.js';
import { OUTPUTS_PER_HOST } from '../../sagas/deliver-webhooks/deliver-webhooks.js';
import { ATTEMPT_TIMEOUT_MS, DeliverySender } from '../../sagas/deliver-webhooks/delivery-sender.js';
import { DeliveryFanOut } from '../../sagas/deliver-webhooks/fan-out.js';
import { PublishedTexts } from '../../sagas/deliver-webhooks/published-texts.js';
import { PlannedPostDeliveries } from '../../sagas/deliver-webhooks/schedule-deliveries.js';
import { DueWorkServices } from '../../sagas/engine/due-work.js';
import { EventSaga, EventSagaServices, followedLogOf, type Reacting } from '../../sagas/engine/event-saga.js';
import { GroupConcurrency } from '../../sagas/engine/group-concurrency.js';
import { FailureRecorder } from '../../sagas/publish-due-posts/attempt/failure-recorder.js';
import { InDoubtResolver } from '../../sagas/publish-due-posts/attempt/in-doubt-resolver.js';
import { OutcomeRecorder } from '../../sagas/publish-due-posts/attempt/outcome-recorder.js';
import { PublicationRunner } from '../../sagas/publish-due-posts/attempt/publication-runner.js';
import { SentPosts } from '../../sagas/publish-due-posts/attempt/sent-posts.js';
import { Pacing, PublishingQuota, StartTurns } from '../../sagas/publish-due-posts/attempt/start-limits.js';
import { StepSender } from '../../sagas/publish-due-posts/attempt/step-sender.js';
import { PostProcessor, StoredTranslations } from '../../sagas/publish-due-posts/inputs/post-processor.js';
import { MediaFiles } from '../../sagas/publish-due-posts/inputs/shared-inputs.js';
import { ChannelStates } from '../../sagas/publish-due-posts/inputs/waiting-publications.js';
import { LookUpRestored } from '../../sagas/recover/look-up-restored.js';
import { MarkRestored } from '../../sagas/recover/recover.js';
import { StatisticsNews } from '../../sagas/sample-statistics/statistics-news.js';
import { KeyRing } from '../../secrets/key-ring.js';
import { createResealHandler } from '../../secrets/reseal-job.js';
import { SecretVault } from '../../secrets/vault.js';
import { UploadReader } from '../../uploads/upload-reader.js';
import { Database } from '../database.js';
import { openMediaFiles } from '../media-files.js';
import { BUILT_IN_NETWORKS } from '../networks.js';
import { type ProcessOptions, Resources } from '../process-options.js';
import { SAGAS } from '../sagas.js';
import { type BackgroundTask, ProjectionRunners, type RunningSaga, SagaTask } from '../worker/tasks.js';
import { HistoryModule } from './history.module.js';

/** Injection token for the tasks that run the {@link SAGAS}. */
const SAGA_TASKS = Symbol('SagaTasks');

/** Maximum number of channels of one network that a process publishes on at a time; waiting channels do not count. */
const CHANNELS_PER_NETWORK = 512;

/**
 * Maximum number of publications that a process prepares at a time while several owners publish. More would not be
 * faster, because they share one event loop.
 */
const STARTS = 32;

/** How long a worker waits for a translation, in ms. */
const TRANSLATION_MS = 30_000;

type Saga = RunningSaga | Reacting;

const createTask = (saga: Saga, services: EventSagaServices): SagaTask => {
  if ('run' in saga) return new SagaTask(saga);
  const followed = followedLogOf(saga.constructor)!;
  return new SagaTask(new EventSaga({ ...followed, react: (event, signal) => saga.react(event, signal) }, services));
};

const SAGA_PARTS: Provider[] = [
  ...SAGAS,
  ArchiveHistory,
  ChannelStates,
  DeliveryFanOut,
  DoubtfulSends,
  DueWorkServices,
  EditPublished,
  EventSagaServices,
  FailureRecorder,
  InDoubtResolver,
  LogContinuity,
  LookUpRestored,
  MarkRestored,
  NoticeChats,
  NoticeQueue,
  OutcomeRecorder,
  Pacing,
  PauseAfterPublication,
  PlannedPostDeliveries,
  PostProcessor,
  ProjectOutputs,
  PublicationRunner,
  PublishedTexts,
  PublishingQuota,
  SentPosts,
  StatisticsNews,
  StepSender,
  StoredTranslations,
  {
    provide: MediaFiles,
    // The folder is below DATA_DIR, which an open embedded database reserves for this process.
    inject: [SETTINGS, ADDRESS_POLICY, Inspector, LOG, Resources, UploadReader, Database],
    useFactory: openMediaFiles,
  },
  {
    provide: DeliverySender,
    inject: [ADDRESS_POLICY, Resources],
    useFactory: async (policy: AddressPolicy, resources: Resources) => {
      const timeouts = { headersMs: ATTEMPT_TIMEOUT_MS, idleMs: ATTEMPT_TIMEOUT_MS };
      const client = new GuardedClient({ policy, timeouts, connections: OUTPUTS_PER_HOST });
      await resources.add(() => client.close());
      return new DeliverySender(client);
    },
  },
  {
    provide: CircuitBreaker,
    inject: [ADDRESS_POLICY, SecretVault, Resources],
    useFactory: async (policy: AddressPolicy, vault: SecretVault, resources: Resources) => {
      const client = new GuardedClient({ policy, timeouts: { headersMs: TRANSLATION_MS } });
      await resources.add(() => client.close());
      return new CircuitBreaker(new LibreTranslate(client, vault, TRANSLATION_MS));
    },
  },
  {
    provide: SAGA_TASKS,
    inject: [EventSagaServices, ...SAGAS],
    useFactory: (services: EventSagaServices, ...sagas: readonly Saga[]) =>
      sagas.map((saga) => createTask(saga, services)),
  },
];

/** Runs jobs. To add a job type, add its handler to `handlers`. */
const JOBS: Provider = {
  provide: JobRunner,
  inject: [
    ...[JobTable, Leases, Notifications, LOG, POOL, EVENT_STORE, EventCodec],
    ...[AggregatePlaces, Database, KeyRing, PROJECTIONS, Rebuilds, EraseContent, ArchiveHistory],
  ],
  useFactory: (
    jobs: JobTable,
    leases: Leases,
    notifications: Notifications,
    log: Log,
    pool: Pool,
    store: EventStore,
    codec: EventCodec,
    places: AggregatePlaces,
    { historyKeys: { sealKey } }: Database,
    ring: KeyRing,
    projections: readonly Projection[],
    rebuilds: Rebuilds,
    erasure: EraseContent,
    archive: ArchiveHistory,
  ) => {
    const verification = { tables: new LogTables(pool), store, codec, sealKey };
    const replay = { pool, store, codec };
    const handlers = [
      createVerificationHandler(verification, new EndedLogTable(pool), places),
      createProjectionVerification(replay, projections),
      createRebuildHandler(replay, rebuilds, projections),
      createResealHandler(pool, ring),
      createErasureHandler(erasure),
      createArchiveHandler(archive),
    ];
    const isOutage = (error: unknown) => error instanceof Unavailable || isUnavailable(error);
    return new JobRunner(jobs, leases, notifications, handlers, isOutage, log);
  },
};

/**
 * Role `worker`: projections, sagas and jobs. At shutdown, the web server first finishes its last request. Then the
 * sagas and the job runner stop together, then the projections, because they show what the sagas did. Finally,
 * {@link Resources} closes everything they used.
 */
@Module({})
export class WorkerModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly tasks: readonly BackgroundTask[];

  constructor(
    private readonly leases: Leases,
    private readonly projections: ProjectionRunners,
    @Inject(SAGA_TASKS) sagas: readonly BackgroundTask[],
    jobs: JobRunner,
  ) {
    this.tasks = [...sagas, jobs];
  }

  static forRoot({ overrides }: ProcessOptions): DynamicModule {
    const { platforms } = overrides?.networks ?? BUILT_IN_NETWORKS;
    const channels = new GroupConcurrency(platforms.ids, overrides?.channelsPerNetwork ?? CHANNELS_PER_NETWORK);
    return {
      module: WorkerModule,
      imports: [HistoryModule],
      providers: [
        ...SAGA_PARTS,
        { provide: GroupConcurrency, useValue: channels },
        { provide: StartTurns, useValue: new StartTurns(STARTS) },
        JOBS,
        ProjectionRunners,
      ],
    };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.leases.start();
    this.projections.start();
    for (const task of this.tasks) task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
    await this.projections.stop();
  }
}
