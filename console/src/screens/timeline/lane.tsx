import './lane.css';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, memo, useMemo } from 'react';
import type { Api } from '../../api/management.js';
import { useNames } from '../../api/things.js';
import { Icon, NetworkMark, networkTitle } from '../../components/icon.js';
import { Countdown } from '../../components/time.js';
import { useActorInText } from '../../history/actors.js';
import { format } from '../../i18n/format.js';
import { useLocale } from '../../i18n/messages.js';
import { postTitle } from '../../publications/shown-state.js';
import { type ShownState, StateGlyph, stateLook, stateNames as names } from '../../publications/states.js';
import { WaitingReason } from '../../publications/waiting.js';
import { placeOf, type TimeWindow } from './columns.js';
import { type LaneBar, type Mark, type MarkGroup, mergeMarks, presentBar } from './lane-marks.js';
import { timelineMessages as m } from './messages.js';
import type { LaneCounts } from './waiting-summary.js';

interface LaneProps {
  readonly channel: Api<'Channel'>;
  readonly marks: readonly Mark[];
  readonly bars: readonly LaneBar[];
  readonly counts: LaneCounts | undefined;
  readonly window: TimeWindow;
  /** Minimum distance between two marks, in ms. */
  readonly distance: number;
  /** Id of the selected publication or post. */
  readonly selected: string | null;
  readonly onSelect: (mark: Mark) => void;
}

/** The lane of one channel: its name with counts, and its marks and bars over time. */
export const Lane = memo(({ channel, marks, bars, counts, window: shown, distance, selected, onSelect }: LaneProps) => {
  useLocale();
  const groups = useMemo(() => {
    const margin = shown.length / 20;
    return mergeMarks(marks, distance).filter(({ at }) => at > shown.from - margin && at < shown.to + margin);
  }, [marks, distance, shown]);
  return (
    <>
      <Link
        to="/channels/$id"
        params={{ id: channel.id }}
        className="lane-name"
        title={`${networkTitle(channel.platform)} · ${channel.name}`}
      >
        <NetworkMark platform={channel.platform} />
        <bdi className="cut">{channel.name}</bdi>
        <span className="lane-counts">
          {counts?.map(({ state, count }) => (
            <span key={state} role="img" aria-label={m.laneCount(format.number(count), names[state])}>
              <StateGlyph state={state} size={13} isDecoration />
              {format.number(count)}
            </span>
          ))}
        </span>
      </Link>
      <div className="lane-track">
        <div className="lanes-moving">
          {bars.map((bar) => (
            <Bar key={`${bar.kind} ${bar.from} ${bar.projectId}`} bar={bar} window={shown} />
          ))}
          {groups.map((group) => (
            <MarkButton
              key={group.marks[0]?.publication.id}
              group={group}
              place={placeOf(group.at, shown)}
              isSelected={
                selected !== null &&
                group.marks.some(({ publication, post }) => publication.id === selected || post.id === selected)
              }
              onSelect={onSelect}
            />
          ))}
          <Label bars={bars} marks={marks} groups={groups} window={shown} />
        </div>
      </div>
    </>
  );
});
Lane.displayName = 'Lane';

/** A bar for a pause (hatched), a hold (amber, fading out if its end is unknown) or a disabled channel. */
const Bar = ({ bar: { kind, from, to }, window: shown }: { readonly bar: LaneBar; readonly window: TimeWindow }) => {
  const margin = shown.length / 20;
  const begin = Math.max(from, shown.from - margin);
  const end = Math.min(to ?? Infinity, shown.to + margin);
  if (end <= begin) return null;
  const look = kind === 'hold' ? 'hold' : kind === 'disabled' ? 'hatch disabled' : 'hatch';
  return (
    <i
      className={`lane-bar ${look} ${to === null ? 'open' : ''}`}
      style={{ left: `${placeOf(begin, shown)}%`, width: `${((end - begin) / shown.length) * 100}%` }}
    />
  );
};

interface MarkButtonProps {
  readonly group: MarkGroup;
  readonly place: number;
  readonly isSelected: boolean;
  readonly onSelect: (mark: Mark) => void;
}

const MarkButton = ({ group, place, isSelected, onSelect }: MarkButtonProps) => {
  const first = group.marks[0];
  if (!first) return null;
  const { count, marks, state } = group;
  const name =
    marks.length > 1
      ? m.marks(marks.length, describeStates(marks, names))
      : `${postTitle(first.post, m.media)} · ${names[state]} · ${format.time(first.at)}`;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`lane-mark ${count > 1 ? `several tone-${stateLook(state).tone}` : ''}`}
      style={{ left: `${place}%` }}
      data-selected={isSelected || undefined}
      aria-label={name}
      title={name}
      onClick={() => onSelect(first)}
    >
      {count > 1 ? format.number(count) : <StateGlyph state={state} size={13} isDecoration />}
    </button>
  );
};

/** Describes how many marks are in each state: `2 Failed, 5 Published`. */
const describeStates = (marks: readonly Mark[], names: Readonly<Record<ShownState, string>>): string => {
  const counts = new Map<ShownState, number>();
  for (const { state } of marks) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${names[state]}`).join(', ');
};

interface LabelProps {
  readonly bars: readonly LaneBar[];
  readonly marks: readonly Mark[];
  readonly groups: readonly MarkGroup[];
  readonly window: TimeWindow;
}

/** A short label on the lane: what is holding the channel back, and for how long. */
const Label = ({ bars, marks, groups, window: shown }: LabelProps) => {
  const names = useNames();
  const bar = presentBar(bars, shown.middle);
  const slowed = groups.find(({ state }) => state === 'slowed' || state === 'retrying');
  const held = marks.findLast(({ state }) => state === 'on_hold')?.publication;
  if (bar?.kind === 'disabled')
    return (
      <span className="lane-label after-now">
        <Icon name="switchedOff" size={12} /> {m.disabled}
      </span>
    );
  if (bar?.kind === 'hold')
    return (
      <span className="lane-label after-now tone-warn">
        {held ? <WaitingReason publication={held} names={names} /> : m.onHold}
      </span>
    );
  if (bar?.to) return <PauseLabel bar={bar} until={bar.to} />;
  const publication = slowed?.marks[0]?.publication;
  const last = groups.at(-1);
  if (!slowed || !last || !publication?.waiting_for?.until) return null;
  const isAtEnd = placeOf(last.at, shown) > 72;
  const place = isAtEnd ? placeOf(slowed.at, shown) : placeOf(last.at, shown);
  return (
    <span className={`lane-label ${isAtEnd ? 'at-end' : ''}`} style={{ '--at': `${place}%` } as CSSProperties}>
      <Countdown until={publication.waiting_for.until} /> · <WaitingReason publication={publication} names={names} />
    </span>
  );
};

const PauseLabel = ({ bar, until }: { readonly bar: LaneBar; readonly until: number }) => {
  const names = useNames();
  const project = bar.projectId === null ? undefined : names.project(bar.projectId);
  const actorInText = useActorInText();
  const by = bar.actor === null ? null : actorInText(bar.actor);
  return (
    <span className="lane-label after-now on-bar">
      <Countdown until={new Date(until).toISOString()} />
      {project && <bdi> · {m.projectPaused(project.name)}</bdi>}
      {by !== null ? <bdi> · {m.pausedBy(by)}</bdi> : !project && ` · ${m.paused}`}
    </span>
  );
};
