import { useState } from 'react';
import { Button } from '../components/button.js';
import { TextInput } from '../components/controls.js';
import { channelFormMessages as m } from './messages.js';

/** A field for a token or key. The value is hidden unless a button reveals it. */
export const SecretInput = ({
  label,
  value,
  onChange,
  ids,
}: {
  /** Name of the field, used in the button's label. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly ids: Readonly<Record<string, string | true | undefined>>;
}) => {
  const [isShown, setIsShown] = useState(false);
  return (
    <span className="secret-input">
      <TextInput
        {...ids}
        className="mono"
        type={isShown ? 'text' : 'password'}
        autoComplete="new-password"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {value !== '' && (
        <Button
          look="quiet"
          size="small"
          aria-label={`${isShown ? m.hide : m.show}: ${label}`}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? m.hide : m.show}
        </Button>
      )}
    </span>
  );
};
