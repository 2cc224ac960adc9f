import type { Job, JobHandler } from '../../jobs/job.js';
import type { Json } from '../../kernel/json.js';
import { findAggregate } from '../aggregates/catalogue.js';
import type { AggregatePlaces } from '../time-travel/aggregate-places.js';
import { type EndedLog, type EndedLogTable, showEnded } from './ended-logs.js';
import { openCheckpoint } from './published-checkpoint.js';
import { type HistoryCheck, type VerificationDependencies, verifyHistory } from './verify-history.js';

/** Job kind for verifying the history. */
export const VERIFY_HISTORY = 'verify-history';

/** Verification job parameters (management-api.md: `POST /history/verify`). */
export type VerificationParams = {
  readonly aggregate: string | null;
  readonly id: string | null;
  readonly checkpoint: string | null;
};

/** Creates the handler of verification jobs. An interrupted verification starts again, because it changes nothing. */
export const createVerificationHandler = (
  deps: VerificationDependencies,
  endedLogs: EndedLogTable,
  places: Pick<AggregatePlaces, 'find'>,
): JobHandler => ({
  kind: VERIFY_HISTORY,
  run: async ({ params }: Job, context): Promise<Json> => {
    const sent = params as VerificationParams;
    const ended = await endedLogs.list();
    const check = await toCheck(sent, deps, places);
    const { events, broken, checkpoint } = await verifyHistory(deps, check, context);
    const verdict = checkpoint ?? (await judgeEnded(sent.checkpoint, ended, endedLogs));
    const result = { events, broken: broken.map((each) => ({ ...each })), checkpoint: verdict };
    return ended.length === 0 ? result : { ...result, ended: ended.map(showEnded) };
  },
});

/** Checks a checkpoint that the current log did not sign against the ended logs. Returns null if none was sent. */
const judgeEnded = async (
  note: string | null,
  ended: readonly EndedLog[],
  table: EndedLogTable,
): Promise<'ended' | 'inconsistent' | null> => {
  if (note === null) return null;
  for (const log of ended) {
    const checkpoint = openCheckpoint(note, log.vkey);
    if (checkpoint) return (await table.mayContain(log, checkpoint)) ? 'ended' : 'inconsistent';
  }
  return 'inconsistent';
};

const toCheck = async (
  { aggregate: name, id, checkpoint: note }: VerificationParams,
  { tables }: VerificationDependencies,
  places: Pick<AggregatePlaces, 'find'>,
): Promise<HistoryCheck> => {
  const head = note === null ? null : await tables.readHead();
  const checkpoint = note === null || !head ? null : openCheckpoint(note, head.vkey);
  const aggregate = name === null ? undefined : findAggregate(name);
  if (!aggregate) return { covers: () => true, stream: null, checkpoint };
  if (id === null) return { covers: (stream) => stream.startsWith(`${aggregate.category}-`), stream: null, checkpoint };
  const place = await places.find(aggregate, id, null);
  const of = place?.stream ?? `${aggregate.category}-${id}`;
  return { covers: (stream) => stream === of, stream: of, checkpoint };
};
