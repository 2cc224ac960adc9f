import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import type { Pool } from 'pg';
import { BUILT_CONSOLE, CONSOLE_FOLDER } from '../../api/console/console.controller.js';
import { CHANGE_STREAM_OPTIONS, STREAM_OPTIONS } from '../../api/management/stream/change-streams.js';
import { UPLOAD_TIMES } from '../../api/uploads/media-files.controller.js';
import { DEFAULT_UPLOAD_TIMES } from '../../api/uploads/upload-body.js';
import { DecisionRecorder } from '../../commands/projection.js';
import { completeKeys } from '../../config/generated-keys.js';
import type { Settings } from '../../config/settings.js';
import { LIMITS_PROFILE, SETTINGS } from '../../config/tokens.js';
import { catalogue } from '../../domain/catalogue.js';
import { ErasureNotes } from '../../erasure/erasure-notes.js';
import { AggregateStore, APPEND_TIMER } from '../../event-store/aggregate-store.js';
import { CheckedEventStore } from '../../event-store/checked-event-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { OpenedEventStore } from '../../event-store/opened-event-store.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { ResourceOwners } from '../../event-store/resource-owners.js';
import { SnapshotTable } from '../../event-store/snapshots.js';
import { Metrics } from '../../health/metrics.js';
import { LOG_IDENTITY } from '../../history/transparency-log/log-tables.js';
import { PublishedCheckpoints } from '../../history/transparency-log/published-checkpoint.js';
import { CLOCK, type Clock, MINUTE_MS, SHARED_CLOCK, systemClock } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { HelperCheck } from '../../media/helper.js';
import { Inspector } from '../../media/inspector.js';
import { ADDRESS_POLICY, createAddressPolicy } from '../../outbound-http/url-rules.js';
import { PlatformCatalogue } from '../../platforms/platform-catalogue.js';
import { CallTurns } from '../../postgres/call-turns.js';
import { DatabaseClock } from '../../postgres/database-clock.js';
import { Leases } from '../../postgres/leases.js';
import { Notifications } from '../../postgres/notifications.js';
import { POOL } from '../../postgres/tokens.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type Projection, PROJECTIONS } from '../../projections/engine/projection.js';
import { DECISION_RECORDER, Decisions } from '../../projections/engine/rebuild/rebuilds.js';
import { COUNT_CHANGE } from '../../sagas/change-published/report-change.js';
import { COUNT_OUTCOME } from '../../sagas/publish-due-posts/attempt/outcome-recorder.js';
import { RECORD_RELEASE_DELAY, SetAsidePosts } from '../../sagas/release-planned-posts/release-planned-posts.js';
import { ContentKeyTable, ERASURE } from '../../secrets/content-keys.js';
import { KeyRing, lockKeyStatement } from '../../secrets/key-ring.js';
import { KeyStatus } from '../../secrets/key-status.js';
import { SecretVault } from '../../secrets/vault.js';
import { COUNT_SAMPLE } from '../../statistics/sampler.js';
import { Database, openDatabase } from '../database.js';
import { photosUrl } from '../demo.js';
import { createLogIdentity, openEventStore, openPublishedCheckpoints } from '../event-store.js';
import { BUILT_IN_NETWORKS } from '../networks.js';
import { KEYS, PROCESS_OPTIONS, type ProcessOptions, processSettings, Resources } from '../process-options.js';
import { SeenWatch } from '../recovery/seen-watch.js';
import { projectionsOf, READ_MODELS } from './read-models.js';

/** Creates what needs nothing that must be opened first. */
const createValues = async (options: ProcessOptions, resources: Resources): Promise<Provider[]> => {
  const { settings, log, overrides } = options;
  const keys = await completeKeys(settings);
  const metrics = new Metrics();
  const timeoutMs = overrides?.inspectionTimeoutMs;
  const inspector = new Inspector({ log, ...(timeoutMs !== undefined && { timeoutMs }) });
  const helpers = new HelperCheck(log);
  await resources.add(() => inspector.close());
  await resources.add(() => helpers.close());
  const shared = processSettings(settings, keys);
  const values: readonly (readonly [Exclude<Provider, { provide: unknown }> | symbol, unknown])[] = [
    [PROCESS_OPTIONS, options],
    [Resources, resources],
    [LOG, log],
    [CLOCK, overrides?.clock ?? systemClock],
    [KEYS, keys],
    [KeyRing, new KeyRing(keys.secretsKey, settings.secretsKeysPrevious)],
    [SETTINGS, shared],
    [MINUTE_MS, settings.minuteMs],
    [LIMITS_PROFILE, settings.limitsProfile],
    [ADDRESS_POLICY, createAddressPolicy(settings.allowPrivateAddresses, () => photosUrl(shared))],
    [PROJECTIONS, projectionsOf(settings)],
    [PlatformCatalogue, (overrides?.networks ?? BUILT_IN_NETWORKS).platforms],
    [Metrics, metrics],
    [APPEND_TIMER, metrics.appendTimer()],
    [COUNT_OUTCOME, metrics.publicationCounter()],
    [COUNT_CHANGE, metrics.changeCounter()],
    [COUNT_SAMPLE, metrics.sampleCounter()],
    [RECORD_RELEASE_DELAY, metrics.releaseDelay()],
    [Inspector, inspector],
    [HelperCheck, helpers],
    [CONSOLE_FOLDER, overrides?.consoleFolder ?? BUILT_CONSOLE],
    [UPLOAD_TIMES, overrides?.uploadTimes ?? DEFAULT_UPLOAD_TIMES],
    [CHANGE_STREAM_OPTIONS, { ...STREAM_OPTIONS, ...overrides?.streams }],
  ];
  return values.map(([provide, useValue]) => ({ provide, useValue }));
};

const DATABASE: Provider[] = [
  { provide: Database, inject: [PROCESS_OPTIONS, KeyRing, Resources], useFactory: openDatabase },
  { provide: POOL, inject: [Database], useFactory: ({ pool }: Database): Pool => pool },
  {
    provide: SHARED_CLOCK,
    inject: [PROCESS_OPTIONS, Database, Resources],
    useFactory: async (
      { log, overrides }: ProcessOptions,
      { pool }: Database,
      resources: Resources,
    ): Promise<Clock> => {
      if (overrides?.clock) return overrides.clock;
      const clock = new DatabaseClock(pool, log);
      await clock.start();
      await resources.add(() => clock.stop());
      return clock;
    },
  },
  {
    provide: Notifications,
    inject: [LOG, Database, KeyRing, Resources],
    useFactory: async (log: Log, { connectionString }: Database, { keys }: KeyRing, resources: Resources) => {
      const notifications = new Notifications(connectionString, log, keys.map(lockKeyStatement).join('; '));
      await resources.add(() => notifications.stop()); // also cancels a start that is waiting for the server
      await notifications.start();
      return notifications;
    },
  },
  {
    provide: Leases,
    inject: [PROCESS_OPTIONS, Database, Notifications, Resources],
    useFactory: async (
      { settings: { leaseMs }, log }: ProcessOptions,
      { pool, connectionString }: Database,
      notifications: Notifications,
      resources: Resources,
    ) => {
      const leases = new Leases({ pool, connectionString, leaseMs, notifications, log });
      await resources.add(() => leases.stop());
      return leases;
    },
  },
  CallTurns,
  ErasureNotes,
  KeyStatus,
  SecretVault,
];

const EVENTS: Provider[] = [
  {
    provide: ContentKeyTable,
    inject: [Database, Notifications, Resources, LOG],
    useFactory: async ({ contentKeys }: Database, notifications: Notifications, resources: Resources, log: Log) => {
      await resources.add(await contentKeys.watch((listener) => notifications.subscribe(ERASURE, listener), log));
      return contentKeys;
    },
  },
  {
    provide: EventCodec,
    inject: [ContentKeyTable],
    useFactory: (keys: ContentKeyTable) => new EventCodec(catalogue, keys),
  },
  { provide: CheckedEventStore, inject: [PROCESS_OPTIONS, Database, Resources], useFactory: openEventStore },
  {
    provide: EVENT_STORE,
    inject: [CheckedEventStore, ContentKeyTable, PROCESS_OPTIONS],
    useFactory: (checked: CheckedEventStore, keys: ContentKeyTable, { overrides, log }: ProcessOptions): EventStore => {
      const store = new OpenedEventStore(checked, keys, log);
      return overrides?.wrapEventStore?.(store) ?? store;
    },
  },
  {
    provide: PublishedCheckpoints,
    inject: [CheckedEventStore, PROCESS_OPTIONS],
    useFactory: (store: CheckedEventStore, { settings }: ProcessOptions) =>
      openPublishedCheckpoints(settings, store.notes, () => store.connection.id),
  },
  {
    provide: LOG_IDENTITY,
    inject: [SETTINGS, Database],
    useFactory: (settings: Settings, { historyKeys }: Database) => createLogIdentity(settings, historyKeys),
  },
  AggregateStore,
  ResourceOwners,
  SnapshotTable,
  SeenWatch,
  SetAsidePosts,
];

const PROGRESS: Provider[] = [
  {
    provide: ProjectionProgress,
    inject: [POOL, Notifications, PROJECTIONS],
    useFactory: async (pool: Pool, notifications: Notifications, projections: readonly Projection[]) => {
      const progress = new ProjectionProgress(pool, notifications, projections);
      await progress.refresh(); // the views that this program reads may not exist yet
      return progress;
    },
  },
  Decisions,
  { provide: DECISION_RECORDER, useClass: DecisionRecorder },
];

/** What every process builds on: settings, keys, log and clock; the database, the event store and the read models. */
@Global()
@Module({})
export class CoreModule {
  static async forRoot(options: ProcessOptions, resources: Resources): Promise<DynamicModule> {
    const values = await createValues(options, resources);
    const providers = [...values, ...DATABASE, ...EVENTS, ...PROGRESS, ...READ_MODELS];
    return { module: CoreModule, providers, exports: providers };
  }
}
