import { Button } from '../../components/button.js';
import { copyText } from '../../components/copy.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { toast } from '../../components/toasts.js';
import { publishKeys } from '../../editor/shortcuts.js';
import { useMessages } from '../../i18n/messages.js';
import { useNow } from '../../time/server-clock.js';
import { composeMessages } from './messages.js';
import type { PublishCode } from '../../publish-code/publish-code.js';

/** The buttons that publish the post, or copy it as code. They stay in reach on phones. */
export const GoBar = ({
  channels,
  isBusy,
  isReady,
  retryAt,
  code,
  publish,
}: {
  /** Number of channels that the post goes to. */
  readonly channels: number;
  readonly isBusy: boolean;
  readonly isReady: boolean;
  /** Time at which the gateway accepts posts again, in ms; null unless it asked to wait. */
  readonly retryAt: number | null;
  readonly code: PublishCode;
  readonly publish: () => void;
}) => {
  const m = useMessages(composeMessages);
  const isEarly = useNow(1000) < (retryAt ?? 0);
  const copy = (language: keyof PublishCode): void => {
    void copyText(code[language]).then(() => toast(m.copied(language)));
  };
  return (
    <div className="compose-go">
      <Button look="primary" busy={isBusy} disabled={!isReady || isEarly} onClick={publish}>
        {channels > 0 ? m.publishTo(channels) : m.publish}
        <kbd>{publishKeys()}</kbd>
      </Button>
      <Menu trigger={<Button icon="copy">{m.copyAs}</Button>}>
        {(['curl', 'TypeScript', 'Python'] as const).map((language) => (
          <MenuItem key={language} onSelect={() => copy(language)}>
            {language}
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
};
