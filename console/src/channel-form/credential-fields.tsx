import { type Problems, problemText } from '../api/problems.js';
import { Field, TextInput } from '../components/controls.js';
import { credentialMessages as texts } from './credential-messages.js';
import { channelFormMessages as m } from './messages.js';
import { type CredentialField, CREDENTIALS, type Network } from './networks.js';
import { SecretInput } from './secret-input.js';

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
