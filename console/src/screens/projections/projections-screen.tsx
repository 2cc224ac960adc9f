import './projections.css';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { useScope } from '../../session/scope.js';
import { type Projection, useJobs, useProjections } from './data.js';
import { type Decision, DecisionDialog } from './decision-dialog.js';
import { Decisions } from './decisions.js';
import { projectionsMessages as m } from './messages.js';
import { ProjectionTable } from './projection-table.js';

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

const Head = ({
  projections,
  onVerifyAll,
}: {
  readonly projections: readonly Projection[];
  readonly onVerifyAll: () => void;
}) => {
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
      actions={<Button onClick={onVerifyAll}>{m.verifyAll}</Button>}
    >
      {head > 0 && m.head(format.number(head))} {level && m.rebuilt(level.name)}{' '}
      {building && m.rebuilding(building.name)}
    </PageHead>
  );
};
