import { ApplyChanges } from '../sagas/change-published/apply-changes.js';
import { ChangePublished } from '../sagas/change-published/change-published.js';
import { CompleteDeletions } from '../sagas/complete-deletions/complete-deletions.js';
import { DeliverNotices, QueueNotices } from '../sagas/deliver-notices/deliver-notices.js';
import { DeliverWebhooks } from '../sagas/deliver-webhooks/deliver-webhooks.js';
import { ScheduleDeliveries } from '../sagas/deliver-webhooks/schedule-deliveries.js';
import { followedLogOf } from '../sagas/engine/event-saga.js';
import { DueErasures } from '../sagas/erase-replaced/due-erasures.js';
import { EraseReplaced, NoteTranslations } from '../sagas/erase-replaced/erase-replaced.js';
import { FlagMissingCredentials } from '../sagas/flag-missing-credentials/flag-missing-credentials.js';
import { PruneExpired } from '../sagas/prune-expired/prune-expired.js';
import { WaitingPublications } from '../sagas/publish-due-posts/inputs/waiting-publications.js';
import { PublishDuePosts } from '../sagas/publish-due-posts/publish-due-posts.js';
import { RaiseNotices, RaiseQuotaNotices } from '../sagas/raise-notices/raise-notices.js';
import { Recover } from '../sagas/recover/recover.js';
import { ReleasePlannedPosts } from '../sagas/release-planned-posts/release-planned-posts.js';
import { SampleStatistics } from '../sagas/sample-statistics/sample-statistics.js';
import { SweepUploads } from '../sagas/sweep-uploads/sweep-uploads.js';
import { WithdrawInput } from '../sagas/withdraw-input/withdraw-input.js';
import { WriteTransparencyLog } from '../sagas/write-transparency-log/write-transparency-log.js';

/** The sagas that a worker runs. Each either follows the log ({@link FollowsLog}) or runs on its own. */
export const SAGAS = [
  PublishDuePosts,
  ChangePublished,
  ApplyChanges,
  WaitingPublications,
  Recover,
  ReleasePlannedPosts,
  ScheduleDeliveries,
  DeliverWebhooks,
  RaiseNotices,
  RaiseQuotaNotices,
  QueueNotices,
  DeliverNotices,
  WithdrawInput,
  CompleteDeletions,
  FlagMissingCredentials,
  EraseReplaced,
  NoteTranslations,
  DueErasures,
  SampleStatistics,
  PruneExpired,
  SweepUploads,
  WriteTransparencyLog,
];

/** Checkpoints of the sagas that start at `now`. An import moves them past the imported history. */
export const LATE_SAGAS: readonly string[] = SAGAS.map(followedLogOf)
  .filter((followed) => followed?.startsAt === 'now')
  .map((followed) => `saga/${followed!.name}`);
