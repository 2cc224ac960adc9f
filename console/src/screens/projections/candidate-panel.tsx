import { Button } from '../../components/button.js';
import { Meter } from '../../components/controls.js';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { ComparisonView } from './comparison-view.js';
import { comparisonOf, type Job, type Projection } from './data.js';
import type { Decision } from './decision-dialog.js';
import { projectionsMessages as m } from './messages.js';

/**
 * A rebuild alongside the live version: first the chain of versions and the progress, then the differences and the
 * decision.
 */
export const CandidatePanel = ({
  projection,
  candidate,
  job,
  onDecide,
}: {
  readonly projection: Projection;
  readonly candidate: NonNullable<Projection['candidate']>;
  readonly job: Job | undefined;
  readonly onDecide: (decision: Decision) => void;
}) => {
  const comparison = comparisonOf(job);
  const compared = comparison?.version === candidate.version ? comparison : null;
  const isLevel = candidate.state === 'level';
  const rest = candidate.eta_seconds === null ? '' : ` · ${m.left(format.duration(candidate.eta_seconds * 1000))}`;
  const progress = `${m.progress(format.percent(candidate.progress), format.number(candidate.rate))}${rest}`;
  const actions = (
    <>
      <Button size="small" onClick={() => onDecide({ kind: 'discard', projection })}>
        {m.discard}
      </Button>
      {isLevel && (
        <Button
          size="small"
          look="primary"
          onClick={() => onDecide({ kind: 'promote', projection, differing: compared ? differing(compared) : 0 })}
        >
          {m.promote(candidate.version)}
        </Button>
      )}
    </>
  );
  return (
    <>
      <div className="projection-build">
        <div className="projection-versions">
          {projection.previous !== null && (
            <>
              <span className="projection-version before">
                {projection.previous} {m.before}
              </span>
              <Icon name="chevronRight" tone="idle" />
            </>
          )}
          <span className="projection-version">
            <Icon name="published" tone="ok" size={14} /> <b>{projection.version}</b> {m.live}
          </span>
          <Icon name="chevronRight" tone="idle" />
          <span className="projection-version candidate">
            <Icon name="publishing" tone="time" size={14} /> <b>{candidate.version}</b> {m.candidate}
          </span>
        </div>
        <Meter value={candidate.progress} max={1} label={progress} />
        <span className="secondary" aria-live="polite">
          {progress}
        </span>
      </div>
      {compared ? (
        <ComparisonView
          comparison={compared}
          versions={[String(projection.version), String(candidate.version)]}
          actions={actions}
        />
      ) : (
        <div className="projection-counts">
          <span className="secondary">{isLevel && job?.state === 'running' ? m.notCompared : ''}</span>
          <span className="projection-actions">{actions}</span>
        </div>
      )}
    </>
  );
};

const differing = ({ missing, extra, different }: NonNullable<ReturnType<typeof comparisonOf>>): number =>
  missing + extra + different;
