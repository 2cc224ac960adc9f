import { Injectable } from '@nestjs/common';
import { Readiness, type ReadinessReport } from '../../../health/readiness.js';
import type { LogHead } from '../../../history/transparency-log/log-tables.js';
import { TransparencyLog } from '../../../history/transparency-log/transparency-log.js';
import type { Instant } from '../../../kernel/instant.js';
import { ProjectionStatuses } from '../../../projections/engine/projection-status.queries.js';
import { OVERVIEW_MESSAGES as TEXTS } from '../messages.js';
import { buildStopped, buildStoreUnavailable } from './attention-of-gateway.js';
import type { AttentionItemView, CheckView } from './overview.view.js';

const FINE = 'ok';
const NO_FIGURES = { latency_ms: null, position: null, degraded: [] };

/** Builds the gateway health checks for the operator, and the related attention items. */
@Injectable()
export class ChecksBuilder {
  constructor(
    private readonly readiness: Readiness,
    private readonly projections: ProjectionStatuses,
    private readonly log: TransparencyLog,
  ) {}

  async build(now: Instant): Promise<{ readonly checks: CheckView[]; readonly attention: AttentionItemView[] }> {
    const startedAt = performance.now();
    const timed = this.projections.listStopped().then((stopped) => ({ stopped, ms: performance.now() - startedAt }));
    const [report, { stopped, ms }, head] = await Promise.all([this.readiness.read(), timed, this.log.findHead()]);
    const { event_store: store } = report.checks;
    const attention = [buildStopped(stopped), store === FINE ? null : buildStoreUnavailable(store, now)];
    return {
      checks: [
        { ...NO_FIGURES, name: 'database', ...outcomeOf(report.checks.database), latency_ms: Math.round(ms) },
        { ...NO_FIGURES, name: 'event_store', ...outcomeOf(store), position: report.event_store.position },
        { ...NO_FIGURES, name: 'discovery', ...outcomeOf(report.checks.discovery) },
        { ...NO_FIGURES, name: 'read_models', ...describeReadModels(report) },
        { ...NO_FIGURES, name: 'history', ...describeLog(head) },
      ],
      attention: attention.filter((each) => each !== null),
    };
  }
}

const outcomeOf = (message: string): Pick<CheckView, 'ok' | 'message'> => ({ ok: message === FINE, message });

const describeLog = (head: LogHead | null): Pick<CheckView, 'ok' | 'message' | 'position'> =>
  head === null
    ? { ok: false, message: TEXTS.notSigned, position: null }
    : { ok: true, message: TEXTS.signed({ size: head.size }), position: String(head.size) };

const describeReadModels = ({ degraded }: ReadinessReport): Pick<CheckView, 'ok' | 'message' | 'degraded'> => ({
  ok: degraded.length === 0,
  message: degraded.length === 0 ? FINE : degraded.map(({ name, reason }) => `${name}: ${reason}`).join('; '),
  degraded: degraded.map(({ name }) => name),
});
