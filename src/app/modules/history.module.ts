import { join } from 'node:path';
import { Module, type Provider } from '@nestjs/common';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { AuditTrail, EventLoader } from '../../history/audit-trail/audit-trail.js';
import { SkippedPosts } from '../../history/skipped-posts.js';
import { HistoryReader, HistorySnapshotTable } from '../../history/time-travel/history-reader.js';
import { OwnerTimeTravel } from '../../history/time-travel/owner-time-travel.js';
import { AggregatePlaces, TimeTravel } from '../../history/time-travel/time-travel.js';
import { Timelines } from '../../history/timeline/timeline.js';
import { Traces } from '../../history/trace/traces.js';
import { ExportHistory } from '../../history/transfer/export-history.js';
import { ImportHistory, ImportSpool, LATECOMERS } from '../../history/transfer/import-history.js';
import { TransparencyLog } from '../../history/transparency-log/transparency-log.js';
import { AuditIndex, TimelineQueries } from '../../projections/audit/audit.queries.js';
import { Resources } from '../process-options.js';
import { LATE_SAGAS } from '../sagas.js';

const HISTORY: Provider[] = [
  AuditIndex,
  EventLoader,
  HistorySnapshotTable,
  HistoryReader,
  AggregatePlaces,
  TimeTravel,
  OwnerTimeTravel,
  TimelineQueries,
  Timelines,
  AuditTrail,
  Traces,
  SkippedPosts,
  TransparencyLog,
  ExportHistory,
  ImportHistory,
  { provide: LATECOMERS, useValue: LATE_SAGAS },
  {
    provide: ImportSpool,
    inject: [SETTINGS, Resources],
    useFactory: ({ dataDir }: Settings, resources: Resources) =>
      resources.open(
        () => ImportSpool.open(join(dataDir, 'imports')),
        (spool) => spool.close(),
      ),
  },
];

/** History: past states, the audit trail, traces and the transparency log. */
@Module({ providers: HISTORY, exports: HISTORY })
export class HistoryModule {}
