import './channel-status.css';
import { Icon, type IconName, Pill, type Tone } from '../components/icon.js';
import { Countdown } from '../components/time.js';
import { defineMessages } from '../i18n/messages.js';
import { type Channel, type ChannelState, channelState } from './channel-state.js';

const LOOKS = {
  on_hold: { icon: 'onHold', tone: 'warn' },
  paused: { icon: 'paused', tone: 'idle' },
  disabled: { icon: 'switchedOff', tone: 'idle' },
  active: { icon: 'published', tone: 'ok' },
} as const satisfies Readonly<Record<ChannelState, { readonly icon: IconName; readonly tone: Tone }>>;

/** Channel states, starting with the state that needs attention. */
export const CHANNEL_STATES = Object.keys(LOOKS) as readonly ChannelState[];

/** The names of the channel states. */
export const channelStateNames = defineMessages({
  en: { active: 'Active', on_hold: 'On hold', paused: 'Paused', disabled: 'Disabled' },
  ru: { active: 'Работает', on_hold: 'Остановлен', paused: 'На паузе', disabled: 'Отключён' },
});

/** Returns the glyph and colour of a channel's state. */
export const channelLook = (state: ChannelState): { readonly icon: IconName; readonly tone: Tone } => LOOKS[state];

/** A channel's state in words, with the time left in its pause. "Active" is subdued. */
export const ChannelStatus = ({ channel }: { readonly channel: Channel }) => {
  const state = channelState(channel);
  return (
    <span className="row">
      {state === 'active' ? (
        <span className="row secondary channel-active">
          <Icon name="published" tone="ok" size={14} />
          {channelStateNames.active}
        </span>
      ) : (
        <Pill {...LOOKS[state]}>{channelStateNames[state]}</Pill>
      )}
      {channel.paused_until !== null && <Countdown until={channel.paused_until} />}
    </span>
  );
};
