import './secrets.css';
import { useState } from 'react';
import { defineMessages } from '../i18n/messages.js';
import { Button } from './button.js';
import { Checkbox } from './controls.js';
import { CopyButton } from './copy.js';
import { Icon } from './icon.js';

const m = defineMessages({
  en: {
    show: 'Show',
    hide: 'Hide',
    copyAll: 'Copy all as .env',
    saved: 'I’ve saved them',
    done: 'Continue',
    warning: 'You can’t view these again. If you lose one, you can only replace it with a new one.',
  },
  ru: {
    show: 'Показать',
    hide: 'Скрыть',
    copyAll: 'Скопировать как .env',
    saved: 'Значения сохранены',
    done: 'Продолжить',
    warning:
      'Посмотреть их снова нельзя. Потерянное значение можно заменить новым; старое сразу перестанет действовать.',
  },
});

/** A value that is shown once. */
export interface Secret {
  readonly label: string;
  readonly value: string;
  /** Name in an `.env` file: `CROSSPOST_TOKEN`. */
  readonly variable: string;
  /** False for a value that need not be hidden, such as an address. */
  readonly isSecret: boolean;
}

/**
 * Shows values that the gateway returns only once. The user can copy one or all of them, and must confirm that they are
 * saved before continuing. The values are kept only in the memory of the parent component.
 */
export const SecretsOnce = ({
  secrets,
  onDone,
  doneLabel,
}: {
  readonly secrets: readonly Secret[];
  readonly onDone: () => void;
  readonly doneLabel?: string;
}) => {
  const [isSaved, setIsSaved] = useState(false);
  const asEnv = (): string => secrets.map(({ variable, value }) => `${variable}=${value}\n`).join('');
  return (
    <div className="secrets">
      <dl className="secret-list">
        {secrets.map((secret) => (
          <SecretRow key={secret.variable} secret={secret} />
        ))}
        <div className="secret-warning">
          <Icon name="onHold" tone="warn" />
          <span>{m.warning}</span>
        </div>
      </dl>
      <div className="secret-actions">
        <CopyButton text={asEnv} size="normal">
          {m.copyAll}
        </CopyButton>
        <Checkbox checked={isSaved} onChange={(event) => setIsSaved(event.target.checked)}>
          {m.saved}
        </Checkbox>
        <Button look="primary" disabled={!isSaved} onClick={onDone}>
          {doneLabel ?? m.done}
        </Button>
      </div>
    </div>
  );
};

const SecretRow = ({ secret: { label, value, isSecret } }: { readonly secret: Secret }) => {
  const [isShown, setIsShown] = useState(!isSecret);
  return (
    <div className="secret-row">
      <dt>{label}</dt>
      <dd className="mono">{isShown ? value : '•'.repeat(Math.min(32, value.length))}</dd>
      <dd>
        {isSecret && (
          <Button size="small" look="quiet" onClick={() => setIsShown(!isShown)}>
            {isShown ? m.hide : m.show}
          </Button>
        )}
        <CopyButton text={value} />
      </dd>
    </div>
  );
};
