import './versions-card.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { useActorName } from '../../history/actors.js';
import { format } from '../../i18n/format.js';
import { formatWhen as when } from '../../planning/use-when.js';
import { plannedMessages as m } from './planned-messages.js';
import { type Version, VersionDialog } from './version-dialog.js';

type Event = Api<'HistoricEvent'>;

/** Returns a member of an event's data. */
const member = ({ data }: Event, name: string): unknown =>
  typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>)[name] : undefined;

/** Types of events that give a post content. */
const HAVE_CONTENT: ReadonlySet<string> = new Set(['PostAccepted', 'PostRevised', 'PostEdited']);

/** The history of a planned or edited post: its versions, decisions and release, oldest first. */
export const VersionsCard = ({ post }: { readonly post: Api<'PostWithPayload'> }) => {
  const actorName = useActorName();
  const [shown, setShown] = useState<Event | null>(null);
  const history = useQuery({
    queryKey: ['history', 'post', post.id, post.revision],
    queryFn: () => management().get('/history/{aggregate}/{id}', { path: { aggregate: 'post', id: post.id } }),
  });
  const versions = (history.data?.events ?? []).filter(({ type }) => HAVE_CONTENT.has(type));
  const before = shown === null ? undefined : versions[versions.findIndex(({ id }) => id === shown.id) - 1];
  return (
    <Card title={m.versions}>
      <Loaded query={history} rows={2}>
        {({ events }) => (
          <ol className="versions">
            {events.map((event) => (
              <li key={event.id}>
                <span>
                  <EventText event={event} />
                  <span className="tertiary version-by">
                    <Moment at={event.at} /> · {m.by(actorName(event))}
                  </span>
                </span>
                {HAVE_CONTENT.has(event.type) && event.data !== 'erased' && (
                  <Button
                    size="small"
                    aria-label={m.showVersion(format.number(versionOf(event)))}
                    onClick={() => setShown(event)}
                  >
                    {m.show}
                  </Button>
                )}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      {shown && (
        <VersionDialog
          postId={post.id}
          version={toVersion(shown)}
          before={before && toVersion(before)}
          onClose={() => setShown(null)}
        />
      )}
    </Card>
  );
};

/** Returns the number of the version that an event created. */
const versionOf = (event: Event): number => Number(member(event, 'revision') ?? 1);

const toVersion = (event: Event): Version => ({ number: versionOf(event), revision: event.revision });

const EventText = ({ event }: { readonly event: Event }) => {
  const at = member(event, 'publishAt');
  const approved = member(event, 'revision');
  const texts: Readonly<Record<string, string>> = {
    PostAccepted: m.accepted,
    PostRevised: m.revised,
    PostEdited: m.edited,
    PostRescheduled: typeof at === 'number' ? m.rescheduled(when(at)) : m.rescheduledNow,
    PostApprovalRequested: m.approvalRequested,
    PostApproved: typeof approved === 'number' ? m.approvedVersion(format.number(approved)) : m.approvedBy,
    PostRejected: m.rejectedBy,
    PostReleased: m.released,
    PlannedPublicationsCancelled: m.cancelled,
    PostWithdrawn: m.takenBack,
  };
  const comment = member(event, 'note') ?? member(event, 'reason');
  const isVersion = ['PostAccepted', 'PostRevised', 'PostRescheduled', 'PostEdited'].includes(event.type);
  return (
    <>
      {isVersion && <b>{m.version(format.number(versionOf(event)))}: </b>}
      {texts[event.type] ?? event.type}
      {typeof comment === 'string' && (
        <>
          {': '}
          <bdi>{comment}</bdi>
        </>
      )}
    </>
  );
};
