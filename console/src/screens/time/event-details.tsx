import { useQuery } from '@tanstack/react-query';
import { management } from '../../api/management.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Json } from '../../components/code.js';
import { Icon, Pill } from '../../components/icon.js';
import { UnsupportedBrowser, verifyProof } from '../../history/verify-proof.js';
import { format } from '../../i18n/format.js';
import type { AuditedEvent, EventFilter, ListedEvent } from './data.js';
import { EventChanges } from './event-changes.js';
import type { Thing } from './event-sentence.js';
import { timeMessages as m } from './messages.js';

interface EventDetailsProps {
  readonly event: ListedEvent;
  readonly thing: Thing | null;
  readonly name: string | null;
  readonly who: string;
  readonly onFilter: (filter: EventFilter) => void;
}

/** What an event changed, filters for its thing and its author, and its proof, which the browser checks. */
export const EventDetails = ({ event, thing, name, who, onFilter }: EventDetailsProps) => (
  <div className="event-details">
    <EventChanges event={event} />
    <div className="event-actions">
      <StoryLink event={event} />
      {thing && name !== null && (
        <Button size="small" onClick={() => onFilter({ thing: thing.id })}>
          {m.onlyThing(name)}
        </Button>
      )}
      <Button size="small" onClick={() => onFilter({ by: event.actor })}>
        {m.onlyBy(who)}
      </Button>
    </div>
    <Proof event={event} />
    <details>
      <summary className="secondary">{m.asData}</summary>
      <Json value={event} depth={2} />
    </details>
  </div>
);

const useProof = ({ id, stream, revision, hash }: AuditedEvent) =>
  useQuery({
    queryKey: ['proof', id],
    queryFn: async () => {
      const [proof, { vkey }] = await Promise.all([
        management().get('/history/log/proof/{event}', { path: { event: id } }),
        management().get('/history/log/key'),
      ]);
      const file = String(proof);
      try {
        return { file, state: 'proved' as const, entry: await verifyProof(file, { stream, revision, hash }, vkey) };
      } catch (error) {
        return { file, state: error instanceof UnsupportedBrowser ? ('signed' as const) : ('wrong' as const) };
      }
    },
  });

const Proof = ({ event }: { readonly event: AuditedEvent }) => {
  const proof = useProof(event);
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([proof.data?.file ?? ''], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${event.id}.tlog-proof`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <div className="event-proof">
      {proof.data === undefined ? (
        <span className="secondary">
          {proof.error ? <Icon name="failed" tone="fail" /> : null} {proof.error ? proof.error.message : m.proving}
        </span>
      ) : (
        <ProofState
          state={proof.data.state}
          text={
            proof.data.entry
              ? m.provedText(format.number(proof.data.entry.index + 1), format.number(proof.data.entry.size))
              : null
          }
        />
      )}
      {proof.data && (
        <Button size="small" look="quiet" onClick={save}>
          {m.saveProof}
        </Button>
      )}
    </div>
  );
};

interface ProofStateProps {
  readonly state: 'proved' | 'signed' | 'wrong';
  readonly text: string | null;
}

const ProofState = ({ state, text }: ProofStateProps) => {
  if (state === 'wrong')
    return (
      <span role="alert">
        <Pill icon="failed" tone="fail">
          {m.proofFailed}
        </Pill>{' '}
        {m.proofFailedText}
      </span>
    );
  return (
    <span role="status">
      <Pill icon="shield" tone="time">
        {state === 'proved' ? m.proved : m.signed}
      </Pill>{' '}
      <span className="secondary">{text ?? m.signedText}</span>
    </span>
  );
};

/** A link to the screen for an event's subject. Renders nothing if there is no such screen. */
const StoryLink = ({ event: { aggregate, aggregate_id: id } }: { readonly event: AuditedEvent }) => {
  if (id === null) return null;
  const look = { size: 'small' as const };
  switch (aggregate) {
    case 'publication':
      return (
        <ButtonLink {...look} to="/publications/$id" params={{ id }}>
          {m.story}
        </ButtonLink>
      );
    case 'post':
      return id.startsWith('post_') ? (
        <ButtonLink {...look} to="/posts/$id" params={{ id }}>
          {m.story}
        </ButtonLink>
      ) : null;
    case 'channel':
    case 'channel-pause':
      return (
        <ButtonLink {...look} to="/channels/$id" params={{ id }}>
          {m.openThing}
        </ButtonLink>
      );
    case 'project':
    case 'project-pause':
      return (
        <ButtonLink {...look} to="/projects/$id" params={{ id }}>
          {m.openThing}
        </ButtonLink>
      );
    case 'endpoint':
      return (
        <ButtonLink {...look} to="/endpoints/$id" params={{ id }}>
          {m.openThing}
        </ButtonLink>
      );
    default:
      return null;
  }
};
