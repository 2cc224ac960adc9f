import '../../components/table.css';
import { Fragment } from 'react';
import { management } from '../../api/management.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Meter } from '../../components/controls.js';
import { Icon, type IconName, Pill, type Tone } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { toast, toastError } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { CandidatePanel, ComparisonView } from './comparison-view.js';
import { comparisonOf, type Job, latestJob, type Projection, refresh } from './data.js';
import type { Decision } from './decision-dialog.js';
import { projectionsMessages as m } from './messages.js';

interface StoppedPanelProps {
  readonly projection: Projection;
  readonly error: NonNullable<Projection['error']>;
  readonly onDecide: (decision: Decision) => void;
}

/** The event at which a projection stopped, and the options for continuing. */
export const StoppedPanel = ({ projection, error, onDecide }: StoppedPanelProps) => {
  const retry = async (): Promise<void> => {
    try {
      await management().post('/projections/{name}/retry', { path: { name: projection.name } });
      toast(m.started);
    } catch (failure) {
      toastError(failure);
    }
    await refresh();
  };
  return (
    <div className="projection-stopped">
      <Icon name="failed" tone="fail" />
      <div>
        <b>
          {m.stoppedTitle(format.number(Number(error.position)), error.type)} <bdi>{error.message}</bdi>
        </b>
        <p className="secondary">
          {m.stoppedText} {projection.skipped > 0 && m.skipped(projection.skipped)}
        </p>
      </div>
      <div className="projection-actions">
        <ButtonLink size="small" to="/time" search={{ event: error.event_id }}>
          {m.viewEvent}
        </ButtonLink>
        <Button size="small" look="primary" onClick={() => void retry()}>
          {m.retry}
        </Button>
        <Button size="small" look="danger" onClick={() => onDecide({ kind: 'skip', projection })}>
          {m.skip}
        </Button>
      </div>
    </div>
  );
};

const LOOKS = {
  live: { icon: 'published', tone: 'ok' },
  rebuilding: { icon: 'publishing', tone: 'go' },
  level: { icon: 'publishing', tone: 'go' },
  stopped: { icon: 'failed', tone: 'fail' },
} as const satisfies Readonly<Record<string, { readonly icon: IconName; readonly tone: Tone }>>;

interface ProjectionTableProps {
  readonly projections: readonly Projection[];
  readonly jobs: readonly Job[];
  readonly onDecide: (decision: Decision) => void;
}

/** The read models. Anything that needs an operator's attention is shown below the read model's row. */
export const ProjectionTable = ({ projections, jobs, onDecide }: ProjectionTableProps) => {
  // Stopped projections come first, then projections that are being rebuilt.
  const rank = ({ error, candidate }: Projection): number => (error ? 0 : candidate ? 1 : 2);
  const sorted = projections.toSorted((a, b) => rank(a) - rank(b));
  return (
    <div className="table-scroll">
      <table className="table stacked projection-table">
        <thead>
          <tr>
            <th>{m.name}</th>
            <th className="number">{m.version}</th>
            <th>{m.state}</th>
            <th>{m.position}</th>
            <th className="number">{m.behind}</th>
            <th className="number">{m.rate}</th>
            <th>
              <span className="visually-hidden">{m.action}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((projection) => (
            <Fragment key={projection.name}>
              <Row projection={projection} jobs={jobs} onDecide={onDecide} />
              <Details projection={projection} jobs={jobs} onDecide={onDecide} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
};

interface RowProps {
  readonly projection: Projection;
  readonly jobs: readonly Job[];
  readonly onDecide: (decision: Decision) => void;
}

const Row = ({ projection, jobs, onDecide }: RowProps) => {
  const {
    name,
    version,
    state,
    position,
    head,
    lag_events: lagEvents,
    lag_seconds: lagSeconds,
    rate,
    previous,
  } = projection;
  const running = jobs.find((job) => job.state === 'running' && job.projection === name);
  const isVerifying = running?.kind === 'verify-projection';
  const lag = lagEvents === 0 ? '0' : `${format.number(lagEvents)} · ${format.number(lagSeconds, 1)} s`;
  const tone = projection.error ? 'error' : projection.candidate ? 'chosen' : '';
  return (
    <tr className={`projection-row ${tone}`}>
      <td className="mono">{name}</td>
      <td className="number" data-label={m.version}>
        {version}
      </td>
      <td>
        <Pill {...(isVerifying ? LOOKS.rebuilding : LOOKS[state])}>
          {isVerifying ? m.running['verify-projection'] : m.states[state]}
        </Pill>
      </td>
      <td>
        <span className="projection-position">
          <Meter value={Number(position)} max={Number(head)} label={`${position} / ${head}`} />
          <span>{isVerifying ? format.percent(running.progress) : format.number(Number(position))}</span>
        </span>
      </td>
      <td className="number" data-label={m.behind}>
        {lag}
      </td>
      <td className="number" data-label={m.rate}>
        {format.number(rate, rate < 10 ? 1 : 0)}
      </td>
      <td className="right">
        <Menu
          trigger={
            <Button size="small" look="quiet" aria-label={m.actions(name)}>
              <Icon name="more" />
            </Button>
          }
        >
          <MenuItem icon="projections" onSelect={() => onDecide({ kind: 'rebuild', projection })}>
            {m.rebuild}
          </MenuItem>
          <MenuItem icon="check" onSelect={() => onDecide({ kind: 'verify', projections: [name] })}>
            {m.verify}
          </MenuItem>
          {previous !== null && (
            <MenuItem icon="retrying" onSelect={() => onDecide({ kind: 'rollback', projection })}>
              {m.rollback(previous)}
            </MenuItem>
          )}
        </Menu>
      </td>
    </tr>
  );
};

const Details = ({ projection, jobs, onDecide }: RowProps) => {
  const { name, error, candidate } = projection;
  const verification = latestJob(jobs, 'verify-projection', name);
  const comparison = comparisonOf(verification);
  if (!error && !candidate && !comparison && verification?.state !== 'failed') return null;
  return (
    <tr className={`projection-details ${error ? 'error' : candidate ? 'chosen' : ''}`}>
      <td colSpan={7}>
        {error && <StoppedPanel projection={projection} error={error} onDecide={onDecide} />}
        {candidate && (
          <CandidatePanel
            projection={projection}
            candidate={candidate}
            job={latestJob(jobs, 'rebuild-projection', name)}
            onDecide={onDecide}
          />
        )}
        {!candidate && comparison && (
          <ComparisonView
            comparison={comparison}
            versions={[String(projection.version), m.fresh]}
            title={m.lastVerification}
          />
        )}
        {!candidate && verification?.state === 'failed' && (
          <p className="tone-fail">
            {m.jobFailed}: {(verification.result as { message?: string } | null)?.message}
          </p>
        )}
      </td>
    </tr>
  );
};
