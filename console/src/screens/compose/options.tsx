import { type FormEvent, useState } from 'react';
import { endpointName } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { Checkbox, Segmented, TextField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { Icon, NetworkMark, networkTitle } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { format } from '../../i18n/format.js';
import { suggestTime } from '../../planning/choose-time.js';
import { TimeFields } from '../../planning/move-dialog.js';
import { browserZone } from '../../time/local-time.js';
import { serverNow } from '../../time/server-clock.js';
import type { Draft } from './draft.js';
import type { Destination } from './headline.js';
import { composeMessages as m } from './messages.js';
import { TargetChoice } from './target-dialog.js';

const MAX_MINUTES = 1_440;

/** Parses the length of a pause in minutes; null if it is not valid. */
const readMinutes = (typed: string): number | null => {
  const minutes = typed.trim() === '' ? 0 : Number(typed);
  return Number.isInteger(minutes) && minutes >= 0 && minutes <= MAX_MINUTES ? minutes : null;
};

interface AfterwardsDialogProps {
  readonly pauses: Draft['pauses'];
  readonly onSave: (pauses: Draft['pauses']) => void;
  readonly onClose: () => void;
}

/** A dialog for the pauses that start once the post is published. */
export const AfterwardsDialog = ({ pauses, onSave, onClose }: AfterwardsDialogProps) => {
  const [typed, setTyped] = useState({ project: String(pauses.project), channels: String(pauses.channels) });
  const project = readMinutes(typed.project);
  const channels = readMinutes(typed.channels);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (project === null || channels === null) return;
    onSave({ project, channels });
    onClose();
  };
  const field = (name: 'project' | 'channels', label: string, value: number | null) => (
    <TextField
      label={label}
      hint={m.minutesHint}
      error={value === null && m.badMinutes}
      inputMode="numeric"
      value={typed[name]}
      onFocus={(event) => event.target.select()}
      onChange={(value) => setTyped({ ...typed, [name]: value })}
    />
  );
  return (
    <Dialog title={m.afterwardsTitle} description={m.afterwardsText} isOpen onClose={onClose}>
      <form className="dialog-form" onSubmit={save} noValidate>
        {field('project', m.projectMinutes, project)}
        {field('channels', m.channelMinutes, channels)}
        <div className="dialog-actions">
          <Button look="primary" type="submit">
            {m.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};

interface WhenOptionProps {
  readonly draft: Draft;
  readonly update: (change: Partial<Draft>) => void;
}

/** Chooses whether to publish the post now or at a given time. */
export const WhenOption = ({ draft, update }: WhenOptionProps) => {
  const choose = (which: 'now' | 'later'): void => {
    if ((which === 'later') === (draft.when !== null)) return;
    update({ when: which === 'now' ? null : suggestTime(serverNow(), browserZone()) });
  };
  return (
    <>
      <Segmented
        label={m.when}
        value={draft.when === null ? 'now' : 'later'}
        options={[
          { value: 'now', label: m.now },
          { value: 'later', label: m.later },
        ]}
        onChange={choose}
      />
      {draft.when !== null && <TimeFields value={draft.when} onChange={(when) => update({ when })} />}
    </>
  );
};

const MINUTE = 60_000;

interface OptionsProps {
  readonly draft: Draft;
  readonly destination: Destination;
  readonly destinations: readonly Destination[];
  /** True if a planned post is being edited: its endpoint and its external ID cannot be changed. */
  readonly isEdit: boolean;
  /** True while channels are still loading. None can be chosen until then, because those that come later would be chosen too. */
  readonly isLoading: boolean;
  readonly update: (change: Partial<Draft>) => void;
  /**
   * Lets the user write separate text for each network; null if that is already possible, or if there is only one
   * network.
   */
  readonly onTailor: (() => void) | null;
}

/** The channels that receive the post, the endpoint, the time, the pause afterwards, and rarely used options. */
export const Options = ({ draft, destination, destinations, isEdit, isLoading, update, onTailor }: OptionsProps) => {
  const [asksPause, setAsksPause] = useState(false);
  const [isOpen, setIsOpen] = useState(
    draft.externalId !== '' || draft.isAdvertisement || draft.isSilent || draft.isPinned,
  );
  const describe = ({ endpoint, projects }: Destination): string => {
    const names = projects.length > 0 ? format.list(projects.map(({ name }) => name)) : m.noProject;
    return endpoint.is_console ? names : m.throughEndpoint(names, endpointName(endpoint));
  };
  const stateOf = ({ endpoint }: Destination): string =>
    [endpoint.mode === 'test' && m.test, !endpoint.is_active && m.disabled].filter(Boolean).join(', ');
  const { project, channels } = draft.pauses;
  const pauses = [
    project > 0 && m.pauseProject(format.duration(project * MINUTE)),
    channels > 0 && m.pauseChannels(format.duration(channels * MINUTE)),
  ].filter((each) => each !== false);
  return (
    <>
      <dl className="compose-options">
        {destination.channels.length > 0 && !isLoading && (
          <>
            <dt>{m.to}</dt>
            <dd>
              <Targets draft={draft} destination={destination} update={update} />
            </dd>
          </>
        )}
        {(destination.projects.length > 0 || destinations.length > 1) && (
          <>
            <dt>{m.through}</dt>
            <dd>
              {isEdit ? (
                <bdi className="cut">{describe(destination)}</bdi>
              ) : (
                <Menu
                  align="start"
                  trigger={
                    <button type="button" className="chip" aria-label={`${m.chooseEndpoint}: ${describe(destination)}`}>
                      <bdi className="cut">{describe(destination)}</bdi>
                      <Icon name="chevronDown" size={12} />
                    </button>
                  }
                >
                  {destinations.map((each) => (
                    <MenuItem
                      key={each.setId ?? each.endpoint.id}
                      isChecked={each === destination}
                      onSelect={() => update({ endpointId: each.endpoint.id, setId: each.setId, leftOut: [] })}
                    >
                      <bdi>{describe(each)}</bdi>
                      {stateOf(each) !== '' && <span className="tertiary">{stateOf(each)}</span>}
                    </MenuItem>
                  ))}
                </Menu>
              )}
            </dd>
          </>
        )}
        {onTailor && (
          <>
            <dt>{m.text}</dt>
            <dd>
              <button type="button" className="chip" onClick={onTailor}>
                {m.tailor}
              </button>
            </dd>
          </>
        )}
        <dt>{m.when}</dt>
        <dd>
          <WhenOption draft={draft} update={update} />
        </dd>
        <dt>{m.afterwards}</dt>
        <dd>
          <button
            type="button"
            className="chip"
            data-field="ad_pause_minutes"
            aria-haspopup="dialog"
            onClick={() => setAsksPause(true)}
          >
            {pauses.length > 0 ? pauses.join(' · ') : m.noPause}
            <Icon name="chevronDown" size={12} />
          </button>
        </dd>
      </dl>
      <details className="compose-more" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>{m.more}</summary>
        <TextField
          label={m.externalId}
          hint={m.externalIdHint}
          readOnly={isEdit}
          data-field="external_id"
          maxLength={128}
          value={draft.externalId}
          onChange={(value) => update({ externalId: value })}
        />
        <Checkbox
          checked={draft.isAdvertisement}
          onChange={(event) => update({ isAdvertisement: event.target.checked })}
        >
          {m.advertisement}
        </Checkbox>
        <Checkbox checked={draft.isSilent} onChange={(event) => update({ isSilent: event.target.checked })}>
          {m.silent}
        </Checkbox>
        <Checkbox checked={draft.isPinned} onChange={(event) => update({ isPinned: event.target.checked })}>
          {m.pin}
        </Checkbox>
      </details>
      {asksPause && (
        <AfterwardsDialog
          pauses={draft.pauses}
          onSave={(next) => update({ pauses: next })}
          onClose={() => setAsksPause(false)}
        />
      )}
    </>
  );
};

/** Maximum number of channels with a chip each; if there are more, the channels of a network share a chip. */
const MAX_CHIPS = 8;

interface TargetsProps {
  readonly draft: Draft;
  readonly destination: Destination;
  readonly update: (change: Partial<Draft>) => void;
}

const Targets = ({ draft: { leftOut }, destination: { channels }, update }: TargetsProps) => {
  const toggle = (ids: readonly string[], isOn: boolean): void => {
    const others = leftOut.filter((id) => !ids.includes(id));
    update({ leftOut: isOn ? [...others, ...ids] : others });
  };
  const networks = [...new Set(channels.map(({ platform }) => platform))];
  const groups =
    channels.length <= MAX_CHIPS
      ? channels.map((channel) => [channel])
      : networks.map((platform) => channels.filter((channel) => channel.platform === platform));
  const chips = groups.map((group) => {
    const [first] = group;
    if (!first) return null;
    const usable = group.filter(({ status }) => status !== 'disabled');
    const ids = usable.map(({ id }) => id);
    const isOn = ids.some((id) => !leftOut.includes(id));
    const isAmbiguous = channels.filter(({ platform }) => platform === first.platform).length > 1;
    const name = group.length > 1 ? format.number(group.length) : first.name;
    return (
      <button
        key={first.id}
        type="button"
        className="chip target-chip"
        data-field="targets"
        aria-pressed={isOn}
        aria-label={`${networkTitle(first.platform)}: ${name}`}
        title={ids.length === 0 ? m.channelDisabled : `${networkTitle(first.platform)}: ${name}`}
        disabled={ids.length === 0}
        onClick={() => toggle(ids, isOn)}
      >
        <NetworkMark platform={first.platform} label={false} />
        {isAmbiguous && <bdi className="cut">{name}</bdi>}
        <Icon name={isOn ? 'check' : 'plus'} size={13} />
      </button>
    );
  });
  return (
    <>
      {chips}
      {channels.length > MAX_CHIPS && (
        <TargetChoice channels={channels} leftOut={leftOut} onChange={(ids) => update({ leftOut: ids })} />
      )}
    </>
  );
};
