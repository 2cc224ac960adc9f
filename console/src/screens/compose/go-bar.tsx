import { Button, copyText } from '../../components/button.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { toast } from '../../components/toasts.js';
import { useIsPhone } from '../../components/use-is-phone.js';
import { publishKeys } from '../../editor/editor.js';
import type { PublishCode } from '../../publish-code/publish-code.js';
import { useNow } from '../../time/server-clock.js';
import { composeMessages as m } from './messages.js';

interface GoBarProps {
  /** Label of the main button. */
  readonly label: string;
  /** True if the post has a time. The longer label then leaves room only for the copy button's icon. */
  readonly isPlanned: boolean;
  readonly isBusy: boolean;
  readonly isReady: boolean;
  /** Time at which the gateway will accept posts again, in ms; null unless it asked to wait. */
  readonly retryAt: number | null;
  /** Code that publishes the same post; null if there is none. */
  readonly code: PublishCode | null;
  readonly publish: () => void;
}

/** The buttons that publish the post and copy it as code. On phones, they stay visible at the bottom. */
export const GoBar = ({ label, isPlanned, isBusy, isReady, retryAt, code, publish }: GoBarProps) => {
  const isEarly = useNow(1000) < (retryAt ?? 0);
  const isPhone = useIsPhone();
  const isShort = isPlanned || isPhone; // leaves the room to the label of the other button
  const copy = (text: string, language: keyof PublishCode): void => {
    void copyText(text).then(() => toast(m.copied(language)));
  };
  return (
    <div className="compose-go">
      <Button look="primary" busy={isBusy} disabled={!isReady || isEarly} onClick={publish}>
        {label}
        <kbd>{publishKeys()}</kbd>
      </Button>
      {code && (
        <Menu
          trigger={
            <Button icon="copy" {...(isShort && { 'aria-label': m.copyAs, title: m.copyAs })}>
              {!isShort && m.copyAs}
            </Button>
          }
        >
          {(['curl', 'TypeScript', 'Python'] as const).map((language) => (
            <MenuItem key={language} onSelect={() => copy(code[language], language)}>
              {language}
            </MenuItem>
          ))}
        </Menu>
      )}
    </div>
  );
};
