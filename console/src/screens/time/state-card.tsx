import { useRouter } from '@tanstack/react-router';
import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy.js';
import { Icon, NetworkMark } from '../../components/icon.js';
import { Pill } from '../../components/state-pill.js';
import { Empty, Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { serverNow } from '../../time/server-clock.js';
import { usePast, useThrottled } from './data.js';
import { timeMessages as m } from './messages.js';
import { describePast, type PastThing } from './past-states.js';

/**
 * The state of channels, projects and endpoints at a given time, next to their current state.
 * @param at null for now
 */
export const StateCard = ({ at }: { readonly at: number | null }) => {
  const router = useRouter();
  const asked = useThrottled(at);
  const past = usePast(asked);
  const present = usePast(null);
  const link = (): string => {
    const search = at === null ? {} : { at: new Date(at).toISOString() };
    return location.origin + router.buildLocation({ to: '/time', search }).href;
  };
  return (
    <Card
      className={`state-card ${past.isPlaceholderData ? 'stale' : ''}`}
      title={at === null ? m.asItIs : m.asItWas(format.seconds(at))}
      aside={
        <CopyButton text={link} look="quiet">
          {m.copyLink}
        </CopyButton>
      }
    >
      <Loaded query={past} rows={8}>
        {(then) => {
          const things = describePast(then, asked ?? serverNow(), m, format);
          const now = present.data && describePast(present.data, serverNow(), m, format);
          if (things.channels.length + things.projects.length + things.endpoints.length === 0)
            return <Empty icon="timeMachine" title={m.nothingThen} />;
          return (
            <>
              <Group title={m.channels} things={things.channels} now={at === null ? undefined : now?.channels} />
              <Group title={m.projects} things={things.projects} now={at === null ? undefined : now?.projects} />
              <Group title={m.endpoints} things={things.endpoints} now={at === null ? undefined : now?.endpoints} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
};

const Group = ({
  title,
  things,
  now,
}: {
  readonly title: string;
  readonly things: readonly PastThing[];
  /** The current state; undefined while it is loading or if `things` already shows it. */
  readonly now: readonly PastThing[] | undefined;
}) => {
  if (things.length === 0) return null;
  return (
    <section className="state-group" aria-label={title}>
      <h3>
        <span>{title}</span>
        {now && <span>{m.andNow}</span>}
      </h3>
      <ul>
        {things.map((thing) => (
          <li key={thing.id}>
            {thing.platform === null ? (
              <Icon name={title === m.endpoints ? 'endpoint' : 'project'} />
            ) : (
              <NetworkMark platform={thing.platform} />
            )}
            <bdi className="cut">{thing.name}</bdi>
            <Pill icon={thing.icon} tone={thing.tone}>
              {thing.label}
            </Pill>
            {now && <Now then={thing} now={now.find(({ id }) => id === thing.id)} />}
          </li>
        ))}
      </ul>
    </section>
  );
};

const Now = ({ then, now }: { readonly then: PastThing; readonly now: PastThing | undefined }) => {
  if (now?.label === then.label) return <span className="state-now tertiary">{m.asNow}</span>;
  return <span className="state-now tone-time">{now ? now.label : m.gone}</span>;
};
