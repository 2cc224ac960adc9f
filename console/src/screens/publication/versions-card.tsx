import './versions-card.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Json } from '../../components/code.js';
import { Dialog } from '../../components/dialog.js';
import { Loaded } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { useActorName } from '../../history/actors.js';
import { format } from '../../i18n/format.js';
import { formatWhen as when } from '../../planning/use-when.js';
import { plannedMessages as m } from './planned-messages.js';

type Event = Api<'HistoricEvent'>;

/** Returns a member of an event's data. */
const member = ({ data }: Event, name: string): unknown =>
  typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>)[name] : undefined;

/** The history of a planned post: its versions, decisions and release, oldest first. */
export const VersionsCard = ({ post }: { readonly post: Api<'PostWithPayload'> }) => {
  const actorName = useActorName();
  const [shown, setShown] = useState<Event | null>(null);
  const history = useQuery({
    queryKey: ['history', 'post', post.id, post.revision],
    queryFn: () => management().get('/history/{aggregate}/{id}', { path: { aggregate: 'post', id: post.id } }),
  });
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
                    <Moment at={event.at} /> · {m.by(actorName(event.actor))}
                  </span>
                </span>
                {(event.type === 'PostAccepted' || event.type === 'PostRevised') && event.data !== 'erased' && (
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
      {shown && <VersionDialog postId={post.id} event={shown} onClose={() => setShown(null)} />}
    </Card>
  );
};

/** Returns the number of the version that an event created. */
const versionOf = (event: Event): number => Number(member(event, 'revision') ?? 1);

const EventText = ({ event }: { readonly event: Event }) => {
  const at = member(event, 'publishAt');
  const approved = member(event, 'revision');
  const texts: Readonly<Record<string, string>> = {
    PostAccepted: m.accepted,
    PostRevised: m.revised,
    PostRescheduled: typeof at === 'number' ? m.rescheduled(when(at)) : m.rescheduledNow,
    PostApprovalRequested: m.approvalRequested,
    PostApproved: typeof approved === 'number' ? m.approvedVersion(format.number(approved)) : m.approvedBy,
    PostRejected: m.rejectedBy,
    PostReleased: m.released,
    PlannedPublicationsCancelled: m.cancelled,
  };
  const comment = member(event, 'note') ?? member(event, 'reason');
  const isVersion = ['PostAccepted', 'PostRevised', 'PostRescheduled'].includes(event.type);
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

interface VersionDialogProps {
  readonly postId: string;
  readonly event: Event;
  readonly onClose: () => void;
}

/** The content of a version. */
const VersionDialog = ({ postId, event, onClose }: VersionDialogProps) => {
  const version = useQuery({
    queryKey: ['history', 'post', postId, 'revision', event.revision],
    queryFn: () =>
      management().get('/history/{aggregate}/{id}', {
        path: { aggregate: 'post', id: postId },
        query: { revision: String(event.revision) },
      }),
  });
  return (
    <Dialog title={m.versionTitle(format.number(versionOf(event)))} isOpen onClose={onClose} className="wide">
      <Loaded query={version} rows={4}>
        {({ state: { payload } }) => {
          if (typeof payload !== 'object' || payload === null) return <p className="secondary">{m.noContent}</p>;
          const { text } = payload as { readonly text?: unknown };
          return (
            <div className="version-content">
              {typeof text === 'string' && (
                <p tabIndex={0}>
                  <bdi>{text}</bdi>
                </p>
              )}
              <Json value={payload} />
            </div>
          );
        }}
      </Loaded>
    </Dialog>
  );
};
