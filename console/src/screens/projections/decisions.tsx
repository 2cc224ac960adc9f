import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Api, management } from '../../api/management.js';
import { Card } from '../../components/card.js';
import { Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { projectionsMessages as m } from './messages.js';

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
