import './channel-status.css';
import { useState } from 'react';
import { Button } from '../components/button.js';
import { Icon, type IconName, Pill, type Tone } from '../components/icon.js';
import { networkTitle } from '../components/networks.js';
import { Countdown } from '../components/time.js';
import { toast, toastError } from '../components/toasts.js';
import { defineMessages } from '../i18n/messages.js';
import { retryChannel } from '../publications/publication-calls.js';
import { refreshChannel } from './channel-calls.js';
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

const retryMessages = defineMessages({
  en: {
    tryAgain: 'Try again',
    published: (name: string) => `${name} is publishing again.`,
    refused: (network: string, says: string) => `${network} still refuses: ${says}`,
    going: (name: string) => `${name}: retrying the waiting posts.`,
  },
  ru: {
    tryAgain: 'Повторить',
    published: (name: string) => `Канал «${name}» снова публикует.`,
    refused: (network: string, says: string) => `${network} по-прежнему отказывает: ${says}`,
    going: (name: string) => `«${name}»: ждущие посты отправляются снова.`,
  },
});

/** Retries the posts of a channel on hold with the current credentials, and reports the outcome. */
export const RetryButton = ({
  channel: { id, name, platform },
  isPrimary,
  isSmall = false,
  hasIcon = !isSmall,
}: {
  readonly channel: Pick<Channel, 'id' | 'name' | 'platform'>;
  readonly isPrimary: boolean;
  /** True in a list row, where the button's label must include the channel's name. */
  readonly isSmall?: boolean;
  readonly hasIcon?: boolean;
}) => {
  const [isBusy, setIsBusy] = useState(false);
  const tryAgain = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const outcome = await retryChannel(id, () => void refreshChannel());
      if (outcome.kind === 'refused') toastError(retryMessages.refused(networkTitle(platform), outcome.says));
      else toast(outcome.kind === 'published' ? retryMessages.published(name) : retryMessages.going(name));
      await refreshChannel();
    } catch (error) {
      toastError(error);
      void refreshChannel(); // someone else may already have retried
    }
    setIsBusy(false);
  };
  return (
    <Button
      look={isPrimary ? 'primary' : 'plain'}
      busy={isBusy}
      onClick={() => void tryAgain()}
      {...(isSmall && { size: 'small', 'aria-label': `${retryMessages.tryAgain}: ${name}` })}
      {...(hasIcon && { icon: 'retrying' })}
    >
      {retryMessages.tryAgain}
    </Button>
  );
};
