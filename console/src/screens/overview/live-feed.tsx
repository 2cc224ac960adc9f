import './live-feed.css';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { Recent } from '../../api/overview.js';
import { ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Icon, type IconName, NetworkMark, type Tone } from '../../components/icon.js';
import { Empty } from '../../components/states.js';
import { Moment } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { type ShownState, stateNames as names } from '../../publications/states.js';
import { overviewMessages as m } from './messages.js';
import { useSteadyList } from './use-steady-list.js';

const LOOKS: Readonly<Record<string, { readonly name: IconName; readonly tone: Tone }>> = {
  publishing: { name: 'publishing', tone: 'go' },
  published: { name: 'published', tone: 'ok' },
  postponed: { name: 'retrying', tone: 'warn' },
  failed: { name: 'failed', tone: 'fail' },
  in_doubt: { name: 'inDoubt', tone: 'doubt' },
  filtered: { name: 'filtered', tone: 'idle' },
  dismissed: { name: 'dismissed', tone: 'idle' },
  withdrawing: { name: 'takenBack', tone: 'go' },
  withdrawn: { name: 'takenBack', tone: 'idle' },
  withdraw_failed: { name: 'failed', tone: 'fail' },
  channel_needs_attention: { name: 'onHold', tone: 'warn' },
  endpoint_disabled: { name: 'switchedOff', tone: 'warn' },
  webhook_output_disabled: { name: 'switchedOff', tone: 'warn' },
};

/** The latest events of one post, or of one channel, endpoint or webhook; newest first. */
export interface Activity {
  readonly id: string;
  readonly events: readonly [Recent, ...Recent[]];
}

/** Groups events by post, newest first. */
export const groupActivity = (recent: readonly Recent[]): readonly Activity[] => {
  const groups = new Map<string, [Recent, ...Recent[]]>();
  for (const event of recent) {
    const id = event.post_id ?? event.resource_id ?? '';
    const group = groups.get(id);
    if (group) group.push(event);
    else groups.set(id, [event]);
  }
  return [...groups].map(([id, events]) => ({ id, events }));
};

const keyOf = ({ id, events: [{ at, kind }] }: Activity): string => `${id} ${kind} ${at}`;

interface LiveFeedProps {
  readonly recent: readonly Recent[];
  /** Maximum number of rows to show. */
  readonly rows: number;
}

/** The latest events, as they happen. The list stays still while the pointer or the focus is on it. */
export const LiveFeed = ({ recent, rows }: LiveFeedProps) => {
  const [isHeld, setIsHeld] = useState(false);
  const activity = useMemo(() => groupActivity(recent), [recent]);
  const { shown, added, held } = useSteadyList(activity, keyOf, isHeld);
  return (
    <Card
      title={m.feed}
      aside={
        <>
          {held > 0 && <b className="tone-time">{m.newRows(format.number(held))}</b>}
          <Link to="/timeline">{m.openTimeline}</Link>
        </>
      }
    >
      <NewRowsStatus activity={activity} />
      {shown.length === 0 ? (
        <Empty icon="timeline" title={m.feedEmpty} action={<ButtonLink to="/compose">{m.writePost}</ButtonLink>} />
      ) : (
        <ul
          className="feed"
          aria-live="off"
          onPointerEnter={() => setIsHeld(true)}
          onPointerLeave={() => setIsHeld(false)}
          onFocus={() => setIsHeld(true)}
          onBlur={() => setIsHeld(false)}
        >
          {shown.slice(0, rows).map((item) => (
            <li key={keyOf(item)} {...(added.has(keyOf(item)) && { className: 'feed-new' })}>
              <FeedRow activity={item} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};

const STATES: Readonly<Record<string, ShownState>> = { postponed: 'retrying', channel_needs_attention: 'on_hold' };

/** Names an event. The feed does not know what a person settled, so `dismissed` has a word of its own. */
const wordOf = (kind: string): string => {
  if (kind === 'dismissed') return m.settled;
  return kind.endsWith('_disabled') ? m.disabled : names[STATES[kind] ?? (kind as ShownState)];
};

/** Maximum number of networks that a row shows. */
const MARKS = 4;

/** A row with a post's text, and what happened on each network; or with a channel, endpoint or webhook. */
const FeedRow = ({ activity: { events } }: { readonly activity: Activity }) => {
  const [first] = events;
  const { kind, resource_id: resourceId, publication_id: publicationId } = first;
  const resource = kind === 'endpoint_disabled' ? 'endpoint' : 'webhook';
  const text = publicationId !== null ? (first.excerpt ?? m.noText) : (first.name ?? resourceId ?? '');
  const kinds = [...new Set(events.map((event) => event.kind))];
  const marks = events.slice(0, MARKS);
  return (
    <Link {...targetOf(events)}>
      <span className="tertiary">
        <Moment at={first.at} form="time" />
      </span>
      <span className="cut">
        <bdi>{text}</bdi>
        {publicationId === null && `: ${wordOf(kind)}`}
      </span>
      <span className="feed-marks">
        {kinds.map((each) => (
          <span key={each}>
            <Icon label={wordOf(each)} size={14} {...(LOOKS[each] ?? { name: 'waiting', tone: 'idle' })} />
            {marks
              .filter((event) => event.kind === each)
              .map(({ platform, publication_id: id }) =>
                platform === null ? (
                  <Icon key={id} name={resource} tone="idle" />
                ) : (
                  <NetworkMark key={id} platform={platform} size={16} />
                ),
              )}
          </span>
        ))}
        {events.length > MARKS && <small className="tertiary">{`+${events.length - MARKS}`}</small>}
      </span>
    </Link>
  );
};

const targetOf = ([first, ...others]: Activity['events']) => {
  const { kind, post_id: postId, publication_id: publicationId, resource_id: resourceId } = first;
  if (postId !== null && others.length > 0) return { to: '/posts/$id', params: { id: postId } } as const;
  if (publicationId !== null) return { to: '/publications/$id', params: { id: publicationId } } as const;
  const params = { id: resourceId ?? '' };
  if (kind === 'channel_needs_attention') return { to: '/channels/$id', params } as const;
  if (kind === 'endpoint_disabled') return { to: '/endpoints/$id', params } as const;
  return { to: '/outputs/$id', params } as const;
};

/** How long new rows are collected before they are announced, in ms. */
const GATHER_MS = 5_000;

/** Announces the number of new rows to screen readers, at most every five seconds. */
const NewRowsStatus = ({ activity }: { readonly activity: readonly Activity[] }) => {
  const [known, setKnown] = useState<ReadonlySet<string>>(() => new Set(activity.map(keyOf)));
  const [text, setText] = useState('');
  useEffect(() => {
    const count = activity.filter((item) => !known.has(keyOf(item))).length;
    if (count === 0) return;
    const timer = setTimeout(() => {
      setText(m.newRows(format.number(count)));
      setKnown(new Set(activity.map(keyOf)));
    }, GATHER_MS);
    return () => clearTimeout(timer);
  }, [activity, known]);
  return (
    <span className="visually-hidden" role="status">
      {text}
    </span>
  );
};
