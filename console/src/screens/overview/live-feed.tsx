import './live-feed.css';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Recent } from '../../api/overview.js';
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

const keyOf = ({ at, kind, publication_id: publicationId, resource_id: resourceId }: Recent): string =>
  `${publicationId ?? resourceId} ${kind} ${at}`;

interface LiveFeedProps {
  readonly recent: readonly Recent[];
  /** Maximum number of rows to show. */
  readonly rows: number;
}

/** The latest events, as they happen. The list stays still while the pointer or the focus is on it. */
export const LiveFeed = ({ recent, rows }: LiveFeedProps) => {
  const [isHeld, setIsHeld] = useState(false);
  const { shown, added, held } = useSteadyList(recent, keyOf, isHeld);
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
      <NewRowsStatus recent={recent} />
      {shown.length === 0 ? (
        <Empty icon="timeline" title={m.feedEmpty} />
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
              <FeedRow item={item} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};

const FeedRow = ({ item }: { readonly item: Recent }) => {
  const { kind, platform, resource_id: resourceId, publication_id: publicationId } = item;
  const states: Readonly<Record<string, ShownState>> = { postponed: 'retrying', channel_needs_attention: 'on_hold' };
  const word = kind.endsWith('_disabled') ? m.disabled : names[states[kind] ?? (kind as ShownState)];
  const resource = kind === 'endpoint_disabled' ? 'endpoint' : 'webhook';
  const text = publicationId !== null ? (item.excerpt ?? m.noText) : (item.name ?? resourceId ?? '');
  return (
    <Link {...targetOf(item)}>
      <span className="tertiary">
        <Moment at={item.at} form="time" />
      </span>
      <Icon label={word} {...(LOOKS[kind] ?? { name: 'waiting', tone: 'idle' })} />
      {platform === null ? <Icon name={resource} tone="idle" /> : <NetworkMark platform={platform} size={16} />}
      <span className="cut">
        <bdi>{text}</bdi>
        {publicationId === null && `: ${word}`}
      </span>
    </Link>
  );
};

const targetOf = ({ kind, publication_id: publicationId, resource_id: resourceId }: Recent) => {
  if (publicationId !== null) return { to: '/publications/$id', params: { id: publicationId } } as const;
  const params = { id: resourceId ?? '' };
  if (kind === 'channel_needs_attention') return { to: '/channels/$id', params } as const;
  if (kind === 'endpoint_disabled') return { to: '/endpoints/$id', params } as const;
  return { to: '/outputs/$id', params } as const;
};

/** How long new rows are collected before they are announced, in ms. */
const GATHER_MS = 5_000;

/** Announces the number of new rows to screen readers, at most every five seconds. */
const NewRowsStatus = ({ recent }: { readonly recent: readonly Recent[] }) => {
  const [known, setKnown] = useState<ReadonlySet<string>>(() => new Set(recent.map(keyOf)));
  const [text, setText] = useState('');
  useEffect(() => {
    const count = recent.filter((item) => !known.has(keyOf(item))).length;
    if (count === 0) return;
    const timer = setTimeout(() => {
      setText(m.newRows(format.number(count)));
      setKnown(new Set(recent.map(keyOf)));
    }, GATHER_MS);
    return () => clearTimeout(timer);
  }, [recent, known]);
  return (
    <span className="visually-hidden" role="status">
      {text}
    </span>
  );
};
