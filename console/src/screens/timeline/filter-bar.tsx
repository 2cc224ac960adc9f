import './filter-bar.css';
import { type SubmitEvent, useState } from 'react';
import { useChannels, useProjects } from '../../api/things.js';
import { SPANS, type TimelineSearch } from '../../app/search.js';
import { Button } from '../../components/button.js';
import { Chip, Segmented, TextField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { Icon, NetworkMark } from '../../components/icon.js';
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.js';
import { NetworkFilter } from '../../components/network-filter.js';
import { format } from '../../i18n/format.js';
import { getLocale } from '../../i18n/messages.js';
import { StateGlyph, stateNames as names } from '../../publications/states.js';
import { browserZone, zoneTitle } from '../../time/local-time.js';
import { serverNow } from '../../time/server-clock.js';
import { timelineMessages as m } from './messages.js';
import { type Count, showCount } from './waiting-summary.js';

/** Formats a time as the value of a `datetime-local` field: `2026-11-26T14:02`. */
const toLocal = (at: number): string =>
  new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

interface JumpDialogProps {
  /** Called with an ISO 8601 time. */
  readonly onJump: (at: string) => void;
  readonly onClose: () => void;
}

/** A dialog for choosing the time to show in the lanes and the post list. */
export const JumpDialog = ({ onJump, onClose }: JumpDialogProps) => {
  const [value, setValue] = useState(() => toLocal(serverNow()));
  const [isWrong, setIsWrong] = useState(false);
  const jump = (event: SubmitEvent): void => {
    event.preventDefault();
    const at = new Date(value);
    if (Number.isNaN(at.getTime()) || at.getTime() > serverNow() + 60_000) return setIsWrong(true);
    onJump(at.toISOString());
    onClose();
  };
  return (
    <Dialog title={m.jumpTitle} isOpen onClose={onClose}>
      <form className="jump-form" onSubmit={jump}>
        <TextField
          label={m.jumpField}
          hint={m.jumpHint(zoneTitle(browserZone(), getLocale()))}
          error={isWrong && m.badTime}
          type="datetime-local"
          required
          value={value}
          onChange={setValue}
        />
        <div className="dialog-actions">
          <Button type="submit" look="primary">
            {m.jumpVerb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};

const MAIN_STATES = ['queued', 'planned', 'in_doubt', 'failed'] as const;

/** Number of posts in each state that has a chip; undefined while loading. */
export type StateCounts = Readonly<Record<(typeof MAIN_STATES)[number], Count | undefined>>;

const OTHER_STATES = [
  'publishing',
  'published',
  'filtered',
  'dismissed',
  'withdrawing',
  'withdrawn',
  'withdraw_failed',
] as const;

/** Names a state. The API's `dismissed` also covers cancelled posts and resolved doubts. */
const nameOf = (state: (typeof OTHER_STATES)[number]): string => (state === 'dismissed' ? m.dismissed : names[state]);

interface FilterBarProps {
  readonly search: TimelineSearch;
  readonly counts: StateCounts;
  /** Called with the URL parameters that change. */
  readonly onChange: (change: { readonly [K in keyof TimelineSearch]: TimelineSearch[K] | undefined }) => void;
}

/** Controls for the timeline filters and the time span of the lanes. Both are stored in the URL. */
export const FilterBar = ({ search, counts, onChange }: FilterBarProps) => {
  const [isJumping, setIsJumping] = useState(false);
  const { state } = search;
  const toggle = (wanted: string): void => onChange({ state: state === wanted ? undefined : wanted });
  const count = (value: Count | undefined): string => (value ? ` ${showCount(value, format)}` : '');
  const other = OTHER_STATES.find((each) => each === state);
  return (
    <div className="filter-bar" role="group" aria-label={m.filters}>
      <Chip isOn={state === undefined} onClick={() => onChange({ state: undefined })}>
        {m.all}
      </Chip>
      {MAIN_STATES.map((each) => (
        <Chip key={each} isOn={state === each} onClick={() => toggle(each)}>
          <StateGlyph state={each === 'queued' ? 'waiting' : each} size={14} isDecoration />
          {m.chips[each]}
          {count(counts[each])}
        </Chip>
      ))}
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            className="chip"
            aria-label={other ? nameOf(other) : m.more}
            data-on={other !== undefined}
          >
            {other ? <StateGlyph state={other} size={14} isDecoration /> : <Icon name="more" size={14} />}
            {other && nameOf(other)}
          </button>
        }
      >
        {OTHER_STATES.map((each) => (
          <MenuItem key={each} isChecked={each === state} onSelect={() => toggle(each)}>
            {nameOf(each)}
          </MenuItem>
        ))}
      </Menu>
      <NetworkFilter platform={search.platform} onChange={(platform) => onChange({ platform })} />
      <ThingChoice search={search} onChange={onChange} />
      <div className="filter-time">
        <Segmented
          label={m.span}
          value={search.span ?? '2h'}
          options={SPANS.map((value) => ({ value, label: m.spans[value] }))}
          onChange={(span) => onChange({ span: span === '2h' ? undefined : span })}
        />
        {search.at === undefined ? (
          <Button
            size="small"
            icon="timeMachine"
            aria-label={m.jump}
            title={m.jump}
            onClick={() => setIsJumping(true)}
          />
        ) : (
          <Button size="small" icon="timeMachine" onClick={() => onChange({ at: undefined })}>
            {m.backToNow}
          </Button>
        )}
      </div>
      {isJumping && <JumpDialog onJump={(at) => onChange({ at })} onClose={() => setIsJumping(false)} />}
    </div>
  );
};

type ChoiceProps = Pick<Parameters<typeof FilterBar>[0], 'search' | 'onChange'>;

/** A menu to select a project. If the URL names a channel, also shows that channel with a button to remove it. */
const ThingChoice = ({ search, onChange }: ChoiceProps) => {
  const projects = useProjects().data ?? [];
  const channel = useChannels().data?.find(({ id }) => id === search.channel);
  const chosen = projects.find(({ id }) => id === search.project);
  return (
    <>
      {projects.length > 0 && (
        <Menu
          align="start"
          trigger={
            <button type="button" className="chip" data-on={chosen !== undefined}>
              <bdi className="cut">{chosen?.name ?? m.allProjects}</bdi>
              <Icon name="chevronDown" size={12} />
            </button>
          }
        >
          <MenuItem isChecked={search.project === undefined} onSelect={() => onChange({ project: undefined })}>
            {m.allProjects}
          </MenuItem>
          <MenuSeparator />
          {projects.map(({ id, name }) => (
            <MenuItem key={id} isChecked={id === search.project} onSelect={() => onChange({ project: id })}>
              <bdi className="cut">{name}</bdi>
            </MenuItem>
          ))}
        </Menu>
      )}
      {search.channel !== undefined && (
        <button
          type="button"
          className="chip"
          data-on="true"
          title={m.remove}
          onClick={() => onChange({ channel: undefined })}
        >
          {channel && <NetworkMark platform={channel.platform} size={14} />}
          <bdi className="cut">{channel?.name ?? search.channel}</bdi>
          <Icon name="close" size={12} label={m.remove} />
        </button>
      )}
    </>
  );
};
