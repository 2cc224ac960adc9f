import type { ReactNode } from 'react';
import { management } from '../../api/management.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Meter } from '../../components/controls.js';
import { Icon, type IconName, Pill, type Tone } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { DataTable } from '../../components/table.js';
import { toast, toastError } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { useMay } from '../../session/rights.js';
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
        <Button needs="POST /projections/{name}/retry" size="small" look="primary" onClick={() => void retry()}>
          {m.retry}
        </Button>
        <Button
          needs="POST /projections/{name}/skip"
          size="small"
          look="danger"
          onClick={() => onDecide({ kind: 'skip', projection })}
        >
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
  const verifying = (name: string): Job | undefined =>
    jobs.find((job) => job.state === 'running' && job.projection === name && job.kind === 'verify-projection');
  const tone = ({ error, candidate }: Projection): string => (error ? 'error' : candidate ? 'chosen' : '');
  return (
    <DataTable
      className="stacked projection-table"
      items={sorted}
      keyOf={({ name }) => name}
      rowClass={(projection) => `projection-row ${tone(projection)}`}
      details={(projection) => detailsOf(projection, jobs, onDecide)}
      detailsClass={(projection) => `projection-details ${tone(projection)}`}
      columns={[
        { title: m.name, className: 'mono', cell: ({ name }) => name },
        { title: m.version, className: 'number', isLabelled: true, cell: ({ version }) => version },
        {
          title: m.state,
          cell: ({ name, state }) => (
            <Pill {...(verifying(name) ? LOOKS.rebuilding : LOOKS[state])}>
              {verifying(name) ? m.running['verify-projection'] : m.states[state]}
            </Pill>
          ),
        },
        {
          title: m.position,
          cell: ({ name, position, head }) => {
            const job = verifying(name);
            return (
              <span className="projection-position">
                <Meter value={Number(position)} max={Number(head)} label={`${position} / ${head}`} />
                <span>{job ? format.percent(job.progress) : format.number(Number(position))}</span>
              </span>
            );
          },
        },
        {
          title: m.behind,
          className: 'number',
          isLabelled: true,
          sortBy: ({ lag_events: events }) => events,
          cell: ({ lag_events: events, lag_seconds: seconds }) =>
            events === 0 ? '0' : `${format.number(events)} · ${format.number(seconds, 1)} s`,
        },
        {
          title: m.rate,
          className: 'number',
          isLabelled: true,
          sortBy: ({ rate }) => rate,
          cell: ({ rate }) => format.number(rate, rate < 10 ? 1 : 0),
        },
        {
          title: m.action,
          isTitleHidden: true,
          className: 'right',
          cell: (projection) => <Actions projection={projection} onDecide={onDecide} />,
        },
      ]}
    />
  );
};

const Actions = ({
  projection,
  onDecide,
}: Pick<ProjectionTableProps, 'onDecide'> & { readonly projection: Projection }) =>
  useMay('POST /projections/{name}/rebuild') && (
    <Menu
      trigger={
        <Button size="small" look="quiet" aria-label={m.actions(projection.name)}>
          <Icon name="more" />
        </Button>
      }
    >
      <MenuItem icon="projections" onSelect={() => onDecide({ kind: 'rebuild', projection })}>
        {m.rebuild}
      </MenuItem>
      <MenuItem icon="check" onSelect={() => onDecide({ kind: 'verify', projections: [projection.name] })}>
        {m.verify}
      </MenuItem>
      {projection.previous !== null && (
        <MenuItem icon="retrying" onSelect={() => onDecide({ kind: 'rollback', projection })}>
          {m.rollback(projection.previous)}
        </MenuItem>
      )}
    </Menu>
  );

/** What to tell the operator about a read model; null if there is nothing to say. */
const detailsOf = (
  projection: Projection,
  jobs: readonly Job[],
  onDecide: ProjectionTableProps['onDecide'],
): ReactNode => {
  const { name, error, candidate } = projection;
  const verification = latestJob(jobs, 'verify-projection', name);
  const comparison = comparisonOf(verification);
  if (!error && !candidate && !comparison && verification?.state !== 'failed') return null;
  return (
    <>
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
    </>
  );
};
