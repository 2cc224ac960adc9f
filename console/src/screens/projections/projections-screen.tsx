import './projections.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { useScope } from '../../session/session.js';
import { type Projection, useJobs, useProjections } from './data.js';
import { type Decision, DecisionDialog } from './decision-dialog.js';
import { projectionsMessages as m } from './messages.js';
import { ProjectionTable } from './projection-table.js';

/** The operators' decisions about read models, newest first. */
export const Decisions = () => {
  const decisions = useQuery({
    queryKey: ['projections', 'decisions'],
    queryFn: async () =>
      (await management().get('/history/events', { query: { aggregate: 'projection', limit: 20 } })).items,
  });
  return (
    <Card
      className="projection-decisions"
      title={m.decided}
      aside={
        <Link className="link" to="/time" search={{}}>
          {m.inTimeMachine}
        </Link>
      }
    >
      <Loaded query={decisions} rows={2}>
        {(items) =>
          items.length === 0 ? (
            <p className="card-body secondary">{m.noDecisions}</p>
          ) : (
            <ul className="decision-list">
              {items.map((event) => (
                <li key={event.id}>
                  <span className="tertiary">
                    <Moment at={event.at} />
                  </span>
                  <bdi className="cut">{describeEvent(event)}</bdi>
                  <span className="secondary">{event.actor}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
};

const describeEvent = ({ type, data }: Api<'AuditedEvent'>): string => {
  const { projection, version, previousVersion, position, reason } = data as Readonly<
    Record<string, string | number | null>
  >;
  const name = String(projection);
  const of: Readonly<Record<string, string>> = {
    ProjectionPromoted: m.promoted(name, Number(version)),
    ProjectionRolledBack: m.rolledBack(name, Number(previousVersion), Number(version)),
    ProjectionCandidateDiscarded: m.discarded(name, Number(version)),
    ProjectionEventSkipped: m.skippedEvent(name, String(position)),
  };
  return `${of[type] ?? type}${typeof reason === 'string' && reason !== '' ? `: “${reason}”` : ''}`;
};

/** The screen for the read models: their progress, rebuilds with differences, and operators' decisions. */
export const ProjectionsScreen = () => {
  const { isOperator } = useScope();
  if (isOperator) return <Projections />;
  return (
    <>
      <PageHead title={m.notOperator} />
      <Card label={m.notOperator}>
        <Empty icon="lock" title={m.notOperator}>
          {m.notOperatorText}
        </Empty>
      </Card>
    </>
  );
};

const Projections = () => {
  const projections = useProjections();
  const jobs = useJobs();
  const [decision, setDecision] = useState<Decision | null>(null);
  const names = (projections.data ?? []).map(({ name }) => name);
  return (
    <>
      <Head
        projections={projections.data ?? []}
        onVerifyAll={() => setDecision({ kind: 'verify', projections: names })}
      />
      <Card label={m.name}>
        <Loaded query={projections}>
          {(items) => <ProjectionTable projections={items} jobs={jobs.data ?? []} onDecide={setDecision} />}
        </Loaded>
      </Card>
      <Decisions />
      {decision && <DecisionDialog decision={decision} onClose={() => setDecision(null)} />}
    </>
  );
};

interface HeadProps {
  readonly projections: readonly Projection[];
  readonly onVerifyAll: () => void;
}

const Head = ({ projections, onVerifyAll }: HeadProps) => {
  const stopped = projections.filter(({ error }) => error !== null);
  const level = projections.find(({ candidate }) => candidate?.state === 'level');
  const building = projections.find(({ candidate }) => candidate?.state === 'rebuilding');
  const head = projections.reduce((most, each) => Math.max(most, Number(each.head)), 0);
  const title =
    stopped.length > 0
      ? m.stopped(projections.length - stopped.length, format.list(stopped.map(({ name }) => name)))
      : m.allLive(projections.length);
  return (
    <PageHead
      title={projections.length === 0 ? '…' : title}
      actions={
        <Button needs="POST /projections/{name}/verify" onClick={onVerifyAll}>
          {m.verifyAll}
        </Button>
      }
    >
      {head > 0 && m.head(format.number(head))} {level && m.rebuilt(level.name)}{' '}
      {building && m.rebuilding(building.name)}
    </PageHead>
  );
};
