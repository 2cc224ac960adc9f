import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.js';
import { Meter } from '../../components/controls.js';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { type Comparison, comparisonOf, type Example, type Job, type Projection } from './data.js';
import type { Decision } from './decision-dialog.js';
import { diffLines } from './diff-lines.js';
import { projectionsMessages as m } from './messages.js';

/** Number of examples that are shown at first. */
const FIRST = 3;

interface ComparisonViewProps {
  readonly comparison: Comparison;
  /** Names of the live and the fresh version. */
  readonly versions: readonly [live: string, fresh: string];
  readonly title?: string;
  readonly actions?: ReactNode;
}

/** A row-by-row comparison of two versions: the counts, and examples side by side. */
export const ComparisonView = ({ comparison, versions, title, actions }: ComparisonViewProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const { rows, missing, extra, different, examples } = comparison;
  const isEqual = missing + extra + different === 0;
  const count = (value: number, word: string) => (
    <span className={value > 0 ? 'tone-warn' : 'secondary'}>
      <b>{format.number(value)}</b> {word}
    </span>
  );
  return (
    <>
      <div className="projection-counts">
        <span>
          {title !== undefined && `${title}: `}
          {m.compared(format.number(rows))}
        </span>
        {isEqual ? (
          <span className="tone-ok">{m.equal}</span>
        ) : (
          <>
            {count(missing, m.missing)}
            {count(extra, m.extra)}
            {count(different, m.different)}
          </>
        )}
        <span className="projection-actions">{actions}</span>
      </div>
      {(isOpen ? examples : examples.slice(0, FIRST)).map((example, index) => (
        <ExampleView key={index} example={example} versions={versions} />
      ))}
      {!isOpen && examples.length > FIRST && (
        <Button size="small" look="quiet" onClick={() => setIsOpen(true)}>
          + {examples.length - FIRST}
        </Button>
      )}
    </>
  );
};

const ExampleView = ({
  example: { table, key, kind, live, fresh, events },
  versions: [liveName, freshName],
}: {
  readonly example: Example;
  readonly versions: readonly [live: string, fresh: string];
}) => {
  const sides = diffLines(live, fresh);
  return (
    <div className="row-diff">
      <div className="row-diff-head">
        <b>{table}</b> <bdi className="mono">{typeof key === 'string' ? key : JSON.stringify(key)}</bdi>{' '}
        {m.exampleKind[kind]}, {m.inLive(liveName)}
      </div>
      <div className="row-diff-head">
        {m.inFresh(freshName)}
        {events.length > 0 && <span className="tertiary"> · {m.events(events.slice(0, 3).join(', '))}</span>}
      </div>
      {sides.map((lines, side) => (
        <pre key={side} className="code" tabIndex={0}>
          {lines === null
            ? m.absent
            : lines.map(({ text, isChanged }, line) => (
                <span key={line} className={isChanged ? (side === 0 ? 'line-removed' : 'line-added') : 'line'}>
                  {text}
                </span>
              ))}
        </pre>
      ))}
    </div>
  );
};

interface CandidatePanelProps {
  readonly projection: Projection;
  readonly candidate: NonNullable<Projection['candidate']>;
  readonly job: Job | undefined;
  readonly onDecide: (decision: Decision) => void;
}

/**
 * A rebuild alongside the live version: first the chain of versions and the progress, then the differences and the
 * decision.
 */
export const CandidatePanel = ({ projection, candidate, job, onDecide }: CandidatePanelProps) => {
  const comparison = comparisonOf(job);
  const compared = comparison?.version === candidate.version ? comparison : null;
  const isLevel = candidate.state === 'level';
  const rest = candidate.eta_seconds === null ? '' : ` · ${m.left(format.duration(candidate.eta_seconds * 1000))}`;
  const progress = `${m.progress(format.percent(candidate.progress), format.number(candidate.rate))}${rest}`;
  const actions = (
    <>
      <Button
        needs="POST /projections/{name}/discard"
        size="small"
        onClick={() => onDecide({ kind: 'discard', projection })}
      >
        {m.discard}
      </Button>
      {isLevel && (
        <Button
          needs="POST /projections/{name}/promote"
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
