import { type Problems } from '../api/problems.js';
import { SelectField, TextField } from '../components/controls.js';
import { networkTitle } from '../components/icon.js';
import { channelFormMessages as m } from './messages.js';

/** A channel's settings while they are being edited. */
export interface SettingValues {
  readonly on_doubt: string;
  /** Odnoklassniki only. */
  readonly buttons: string;
  /** Odnoklassniki only. A number as typed. */
  readonly text_limit: string;
}

/** Returns the settings of a channel, or the gateway's defaults, for {@link SettingFields}. */
export const settingValues = (settings: Readonly<Record<string, unknown>> = {}): SettingValues => ({
  on_doubt: textOf(settings.on_doubt, 'hold'),
  buttons: textOf(settings.buttons, 'link'),
  text_limit: textOf(settings.text_limit, '5000'),
});

const textOf = (value: unknown, fallback: string): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : fallback;

/** Returns the request body for a channel's settings, limited to the settings that its network supports. */
export const settingsBody = (network: string, { on_doubt, buttons, text_limit }: SettingValues): object =>
  network === 'ok' ? { on_doubt, buttons, text_limit: Number(text_limit) } : { on_doubt };

/** A field for a channel's name. */
export const NameField = ({
  value,
  onChange,
  problems,
}: {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly problems: Problems;
}) => (
  <TextField
    label={m.name}
    hint={m.nameHint}
    missing={m.required}
    problem={problems.name}
    value={value}
    onChange={onChange}
  />
);

/** Fields for a channel's settings. Some settings exist only for Odnoklassniki. */
export const SettingFields = ({
  network,
  values,
  onChange,
  problems,
}: {
  readonly network: string;
  readonly values: SettingValues;
  readonly onChange: (values: SettingValues) => void;
  readonly problems: Problems;
}) => {
  const limit = problems['settings.text_limit'];
  return (
    <>
      <SelectField
        label={m.onDoubt(networkTitle(network))}
        value={values.on_doubt}
        onChange={(value) => onChange({ ...values, on_doubt: value })}
        options={[
          ['hold', m.hold],
          ['resend', m.resend],
        ]}
      />
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
