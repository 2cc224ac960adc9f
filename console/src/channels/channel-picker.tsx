import './channel-picker.css';
import { useState } from 'react';
import { Checkbox, TextInput } from '../components/controls.js';
import { NetworkMark } from '../components/icon.js';
import { defineMessages } from '../i18n/messages.js';
import { type Channel } from './channel-state.js';

/** Maximum number of rows shown; users can search for the rest. */
const SHOWN = 100;

/** Minimum number of channels for which a search field is shown. */
const SEARCHED = 9;

type PickedChannel = Pick<Channel, 'id' | 'name' | 'platform' | 'address'>;

/** Returns what is shown beside a channel's name. A number says nothing to people, unless two channels have one name. */
const addressBeside = ({ address }: PickedChannel, isAlone: boolean): string | undefined => {
  const shown = address.chat_id ?? address.group_id;
  return isAlone && /^-?\d+$/.test(shown ?? '') ? undefined : shown;
};

/** A checklist of channels. Selected channels keep the order in which they were ticked. */
export const ChannelPicker = ({ label, channels, chosen, onChange }: ChannelPickerProps) => {
  const [find, setFind] = useState('');
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const found = channels.filter(({ name, address, platform }) => {
    const text = [name, platform, ...Object.values(address)].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const isAlone = ({ name, platform }: PickedChannel): boolean =>
    channels.filter((other) => other.name === name && other.platform === platform).length === 1;
  const toggle = (id: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <fieldset className="channel-picker">
      <legend>{label}</legend>
      {channels.length >= SEARCHED && (
        <TextInput
          type="search"
          aria-label={m.find}
          placeholder={m.find}
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
      )}
      <div className="channel-picker-list">
        {found.slice(0, SHOWN).map((channel) => {
          const { id, name, platform } = channel;
          return (
            <Checkbox key={id} checked={chosen.includes(id)} onChange={(event) => toggle(id, event.target.checked)}>
              <span className="row">
                <NetworkMark platform={platform} size={16} />
                <bdi className="cut">{name}</bdi>
                <bdi className="tertiary cut">{addressBeside(channel, isAlone(channel))}</bdi>
              </span>
            </Checkbox>
          );
        })}
        {found.length === 0 && <p className="secondary">{m.nothing}</p>}
        {found.length > SHOWN && <p className="tertiary">{m.more(found.length - SHOWN)}</p>}
      </div>
    </fieldset>
  );
};

const m = defineMessages({
  en: {
    find: 'Find a channel…',
    nothing: 'No channel matches.',
    more: (count: number) => `${count} more. Search to see them.`,
  },
  ru: {
    find: 'Найти канал…',
    nothing: 'Подходящих каналов нет.',
    more: (count: number) => `Ещё ${count}. Чтобы увидеть их, начните поиск.`,
  },
});

interface ChannelPickerProps {
  readonly label: string;
  readonly channels: readonly PickedChannel[];
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}
