import { useState } from 'react';
import { Button } from '../components/button.js';
import { networkInText } from '../components/networks.js';
import { toast, toastError } from '../components/toasts.js';
import { defineMessages } from '../i18n/messages.js';
import { retryChannel } from '../publications/publication-calls.js';
import { refreshChannel } from './channel-calls.js';
import { type Channel } from './channel-state.js';

const m = defineMessages({
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
      if (outcome.kind === 'refused') toastError(m.refused(networkInText(platform), outcome.says));
      else toast(outcome.kind === 'published' ? m.published(name) : m.going(name));
      await refreshChannel();
    } catch (error) {
      toastError(error);
      void refreshChannel(); // someone else may already have retried
    }
    setIsBusy(false);
  };
  return (
    <Button
      needs="POST /channels/{id}/retry"
      look={isPrimary ? 'primary' : 'plain'}
      busy={isBusy}
      onClick={() => void tryAgain()}
      {...(isSmall && { size: 'small', 'aria-label': `${m.tryAgain}: ${name}` })}
      {...(hasIcon && { icon: 'retrying' })}
    >
      {m.tryAgain}
    </Button>
  );
};
