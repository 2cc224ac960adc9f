import './pause-dialog.css';
import { useState } from 'react';
import { useChannels, useProjects } from '../api/things.js';
import { Segmented, SelectField, TextField } from '../components/controls.js';
import { Confirmation, type Consequence, happens, risk, stays } from '../components/dialog.js';
import { networkTitle } from '../components/icon.js';
import { toast } from '../components/toasts.js';
import { format } from '../i18n/format.js';
import { serverNow, useNow } from '../time/server-clock.js';
import { pauseMessages as m } from './messages.js';
import { MAX_PAUSE_MINUTES, type Pausable, pause, resume, useHeldPosts } from './pause-calls.js';

const MINUTE = 60_000;
const PRESETS = [15, 60, 240] as const;

/**
 * Asks how long to pause a channel or project, and shows which posts the pause would hold back and when they would be
 * published. Without `thing`, also asks which channel or project to pause.
 */
export const PauseDialog = ({ thing: given, onClose }: { readonly thing?: Pausable; readonly onClose: () => void }) => {
  const [chosen, setChosen] = useState<Pausable | null>(null);
  const [length, setLength] = useState('60');
  const [custom, setCustom] = useState('30');
  const thing = given ?? chosen;
  const minutes = readMinutes(length === 'custom' ? custom : length);
  const consequences = useConsequences(thing, minutes);
  const run = async (): Promise<void> => {
    if (thing === null || minutes === null) return;
    const until = await pause(thing, minutes);
    if (until !== null) toast(m.paused(thing.name, format.moment(until, serverNow())));
  };
  const max = format.number(MAX_PAUSE_MINUTES);
  return (
    <Confirmation
      title={given ? <bdi>{m.pauseOf(given.name)}</bdi> : m.pauseTitle}
      consequences={consequences}
      verb={minutes === null ? m.pause : m.pauseFor(format.duration(minutes * MINUTE))}
      isReady={thing !== null && minutes !== null}
      run={run}
      onClose={onClose}
      fields={
        <div className="pause-fields">
          {!given && <ThingField chosen={chosen} onChoose={setChosen} />}
          <div className="pause-length">
            <Segmented
              label={m.length}
              value={length}
              options={[
                ...PRESETS.map((preset) => ({ value: String(preset), label: format.duration(preset * MINUTE) })),
                { value: 'custom', label: m.custom },
              ]}
              onChange={setLength}
            />
            {length === 'custom' && (
              <TextField
                label={m.minutes}
                hint={m.minutesHint(max)}
                error={minutes === null && m.badMinutes(max)}
                inputMode="numeric"
                value={custom}
                onChange={setCustom}
              />
            )}
          </div>
        </div>
      }
    />
  );
};

/** Parses the length of a pause, in minutes; null if the gateway would reject it. */
const readMinutes = (text: string): number | null => {
  const minutes = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return minutes >= 1 && minutes <= MAX_PAUSE_MINUTES ? minutes : null;
};

interface ThingFieldProps {
  readonly chosen: Pausable | null;
  readonly onChoose: (thing: Pausable) => void;
}

const ThingField = ({ chosen, onChoose }: ThingFieldProps) => {
  const channels = useChannels().data ?? [];
  const projects = useProjects().data ?? [];
  const choose = (id: string): void => {
    const channel = channels.find((each) => each.id === id);
    const project = projects.find((each) => each.id === id);
    if (channel) onChoose({ ...channel, kind: 'channel' });
    else if (project) onChoose({ ...project, kind: 'project' });
  };
  return (
    <SelectField label={m.what} value={chosen?.id ?? ''} onChange={choose} placeholder={m.choose}>
      <optgroup label={m.channels}>
        {channels.map(({ id, name, platform }) => (
          <option key={id} value={id}>
            {`${networkTitle(platform)} · ${name}`}
          </option>
        ))}
      </optgroup>
      <optgroup label={m.projects}>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </optgroup>
    </SelectField>
  );
};

const useConsequences = (thing: Pausable | null, minutes: number | null): readonly Consequence[] => {
  const now = useNow(1000);
  const held = useHeldPosts(thing?.kind === 'channel' ? thing.id : null);
  if (thing === null || minutes === null) return [];
  const present = thing.paused_until === null ? 0 : Date.parse(thing.paused_until);
  const end = Math.max(now + minutes * MINUTE, present);
  const until = format.moment(end, now);
  const longer: Consequence[] = present === end ? [risk(m.neverShorter(until))] : [];
  if (thing.kind === 'project')
    return [...longer, happens(m.newPostsWait(until)), happens(m.spacingPerChannel), stays(m.acceptedBefore)];
  const { count, isMore } = held ?? { count: 0, isMore: false };
  const last = format.moment(end + (count - 1) * MINUTE, now);
  return [
    ...longer,
    happens(count === 0 ? m.newPostsWait(until) : m.postsWait(count, isMore, until)),
    happens(count > 1 && !isMore ? m.spacingUntil(last) : m.spacing),
    happens(m.everyProject),
    stays(m.othersPublish),
  ];
};

/** Ends the pause of a channel or project, after showing which posts will then be published. */
export const ResumeDialog = ({ thing, onClose }: { readonly thing: Pausable; readonly onClose: () => void }) => {
  const now = useNow(1000);
  const held = useHeldPosts(thing.kind === 'channel' ? thing.id : null);
  const goOut = (): string => {
    if (thing.kind === 'project') return m.heldOfProjectGo;
    const { count, isMore } = held ?? { count: 0, isMore: false };
    if (count === 0) return m.nothingHeld;
    if (count === 1) return m.oneGoes;
    const last = !isMore ? ` ${m.lastAt(format.moment(now + (count - 1) * 60_000, now))}` : '';
    return m.heldGo(count, isMore) + last;
  };
  const consequences: readonly Consequence[] = [happens(goOut()), risk(m.cannotUndo)];
  return (
    <Confirmation
      title={<bdi>{m.resumeOf(thing.name)}</bdi>}
      consequences={consequences}
      verb={m.resumeNow}
      run={async () => {
        await resume(thing);
        toast(m.resumed(thing.name));
      }}
      onClose={onClose}
    />
  );
};
