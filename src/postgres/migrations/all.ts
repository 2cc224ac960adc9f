import type { Migrations } from '../migrations.js';
import { schema } from './0001-schema.js';
import { resourceReservations } from './0002-resource-reservations.js';
import { endedLogs } from './0003-ended-logs.js';
import { parkedEvents } from './0004-parked-events.js';
import { reservationsByKind } from './0005-reservations-by-kind.js';
import { recovery } from './0006-recovery.js';
import { statistics } from './0007-statistics.js';
import { uploads } from './0008-uploads.js';
import { drafts } from './0009-drafts.js';
import { keys } from './0010-keys.js';
import { mediaHolds as mediaHoldsTable } from './0011-media-holds.js';
import { consoleSessions } from './0012-console-sessions.js';
import { contentKeys } from './0013-content-keys.js';
import { archive } from './0014-archive.js';
import { budgets } from './repeatable/budgets.sql.js';
import { eventStore } from './repeatable/event-store.sql.js';
import { limiter } from './repeatable/limiter.sql.js';
import { mediaHolds } from './repeatable/media-holds.sql.js';
import { monthlyQuota } from './repeatable/monthly-quota.sql.js';
import { pacing } from './repeatable/pacing.sql.js';
import { probeBudget } from './repeatable/probe-budget.sql.js';
import { resourceCap } from './repeatable/resource-cap.sql.js';
import { uploadQuota } from './repeatable/uploads.sql.js';

/** All migrations. Numbered migrations are only appended, never changed or removed; repeatable ones may be edited. */
export const migrations: Migrations = {
  numbered: [
    schema,
    resourceReservations,
    endedLogs,
    parkedEvents,
    reservationsByKind,
    recovery,
    statistics,
    uploads,
    drafts,
    keys,
    mediaHoldsTable,
    consoleSessions,
    contentKeys,
    archive,
  ],
  repeatable: [eventStore, limiter, budgets, probeBudget, monthlyQuota, pacing, resourceCap, uploadQuota, mediaHolds],
};
