import { useState } from 'react';
import { type Problems, problemText } from '../api/management.js';
import { Button } from '../components/button.js';
import { Field, SelectField, TextField, TextInput } from '../components/controls.js';
import { networkInText, NetworkMark, NETWORKS, networkTitle } from '../components/icon.js';
import { channelFormMessages as m, credentialMessages as texts } from './messages.js';
import { type CredentialField, CREDENTIALS, type Network } from './networks.js';

interface SecretInputProps {
  /** Name of the field, used in the button's label. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly ids: Readonly<Record<string, string | true | undefined>>;
}

/** A field for a token or key. The value is hidden unless a button reveals it. */
export const SecretInput = ({ label, value, onChange, ids }: SecretInputProps) => {
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

/** Credential values by field name. */
export type CredentialValues = Readonly<Record<string, string>>;

/** Fields for a network's credentials, with hints on where to find the values. */
export const CredentialFields = ({
  network,
  values,
  onChange,
  problems,
  hasUploadToken = false,
}: {
  readonly network: Network;
  readonly values: CredentialValues;
  readonly onChange: (values: CredentialValues) => void;
  readonly problems: Problems;
  /** True if the channel has an upload token, which is removed if the field is left empty. */
  readonly hasUploadToken?: boolean;
}) => (
  <>
    {CREDENTIALS[network].map((field, index) => (
      <OneField
        key={field.name}
        {...{ network, field, hasUploadToken }}
        isFirst={index === 0}
        value={values[field.name] ?? ''}
        problem={problems[`credentials.${field.name}`]}
        onChange={(value) => onChange({ ...values, [field.name]: value })}
      />
    ))}
  </>
);

const OneField = ({
  network,
  field: { name, kind },
  value,
  problem,
  hasUploadToken,
  isFirst,
  onChange,
}: {
  readonly network: Network;
  readonly field: CredentialField;
  readonly value: string;
  readonly problem: Problems[string] | undefined;
  readonly hasUploadToken: boolean;
  readonly isFirst: boolean;
  readonly onChange: (value: string) => void;
}) => {
  const text = texts.fields[network]?.[name];
  const label = text?.label ?? name;
  const isOptional = kind === 'optional_secret';
  const error = (): string | undefined => {
    if (!problem) return undefined;
    if (problem.code === 'missing' || value.trim() === '') return m.required;
    if (problem.code === 'bad_credential') return m.badSecret;
    return problem.code === 'bad_form' && text?.form ? text.form : problemText(problem);
  };
  return (
    <div className="credential-field">
      <Field label={label} hint={isOptional ? `${m.optional}, ${text?.hint ?? ''}` : text?.hint} error={error()}>
        {(ids) =>
          kind === 'address' ? (
            <TextInput
              {...ids}
              className="mono"
              placeholder={text?.example}
              value={value}
              onChange={(event) => onChange(event.target.value)}
            />
          ) : (
            <SecretInput ids={ids} label={label} value={value} onChange={onChange} />
          )
        }
      </Field>
      {isFirst && <p className="tertiary">{m.writeOnly}</p>}
      {isOptional && <p className="tertiary">{hasUploadToken ? m.storedUpload : texts.noUploads}</p>}
    </div>
  );
};

/** A channel's settings while they are being edited. */
export interface SettingValues {
  readonly on_doubt: string;
  readonly statistics: string;
  /** Odnoklassniki only. */
  readonly buttons: string;
  /** Odnoklassniki only. A number as typed. */
  readonly text_limit: string;
}

/** Returns the settings of a channel, or the gateway's defaults, for {@link SettingFields}. */
export const settingValues = (settings: Readonly<Record<string, unknown>> = {}): SettingValues => ({
  on_doubt: textOf(settings.on_doubt, 'hold'),
  statistics: textOf(settings.statistics, 'on'),
  buttons: textOf(settings.buttons, 'link'),
  text_limit: textOf(settings.text_limit, '5000'),
});

const textOf = (value: unknown, fallback: string): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : fallback;

/** Returns the request body for a channel's settings, limited to the settings that its network supports. */
export const settingsBody = (network: string, { on_doubt, statistics, buttons, text_limit }: SettingValues): object =>
  network === 'ok' ? { on_doubt, statistics, buttons, text_limit: Number(text_limit) } : { on_doubt, statistics };

interface NameFieldProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly problems: Problems;
}

/** A field for a channel's name. */
export const NameField = ({ value, onChange, problems }: NameFieldProps) => (
  <TextField
    label={m.name}
    hint={m.nameHint}
    missing={m.required}
    problem={problems.name}
    value={value}
    onChange={onChange}
  />
);

interface SettingFieldsProps {
  readonly network: string;
  readonly values: SettingValues;
  readonly onChange: (values: SettingValues) => void;
  readonly problems: Problems;
}

/** Fields for a channel's settings. Some settings exist only for Odnoklassniki. */
export const SettingFields = ({ network, values, onChange, problems }: SettingFieldsProps) => {
  const limit = problems['settings.text_limit'];
  return (
    <>
      <SelectField
        label={m.onDoubt(networkInText(network))}
        value={values.on_doubt}
        onChange={(value) => onChange({ ...values, on_doubt: value })}
        options={[
          ['hold', m.hold],
          ['resend', m.resend],
        ]}
      />
      {network !== 'telegram' && (
        <SelectField
          label={m.statistics}
          value={values.statistics}
          onChange={(value) => onChange({ ...values, statistics: value })}
          options={[
            ['on', m.statisticsOn],
            ['off', m.statisticsOff],
          ]}
        />
      )}
      {network === 'ok' && (
        <>
          <SelectField
            label={m.buttons}
            value={values.buttons}
            onChange={(value) => onChange({ ...values, buttons: value })}
            options={[
              ['link', m.link],
              ['drop', m.drop],
            ]}
          />
          <TextField
            label={m.textLimit}
            hint={m.textLimitHint}
            problem={limit?.code === 'out_of_range' ? { ...limit, message: m.badTextLimit } : limit}
            inputMode="numeric"
            value={values.text_limit}
            onChange={(value) => onChange({ ...values, text_limit: value })}
          />
        </>
      )}
    </>
  );
};

interface NetworkChoiceProps {
  readonly value: Network;
  readonly onChange: (network: Network) => void;
  readonly isFixed: boolean;
}

/**
 * A field for choosing a channel's network. `isFixed` disables it, because an existing channel's network cannot change.
 */
export const NetworkChoice = ({ value, onChange, isFixed }: NetworkChoiceProps) => (
  <fieldset className="network-choice" disabled={isFixed}>
    <legend className="visually-hidden">{m.network}</legend>
    {NETWORKS.map((network) => (
      <label key={network}>
        <input
          type="radio"
          name="network"
          value={network}
          checked={network === value}
          onChange={() => onChange(network)}
        />
        <NetworkMark platform={network} size={22} label={false} />
        <span className="cut">{networkTitle(network)}</span>
      </label>
    ))}
  </fieldset>
);
