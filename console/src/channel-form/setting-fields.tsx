import { type Problems, problemText } from '../api/problems.js';
import { Field, Select, TextInput } from '../components/controls.js';
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
      <Field label={m.onDoubt(networkTitle(network))}>
        {(ids) => (
          <Select
            {...ids}
            value={values.on_doubt}
            onChange={(event) => onChange({ ...values, on_doubt: event.target.value })}
          >
            <option value="hold">{m.hold}</option>
            <option value="resend">{m.resend}</option>
          </Select>
        )}
      </Field>
      {network === 'ok' && (
        <>
          <Field label={m.buttons}>
            {(ids) => (
              <Select
                {...ids}
                value={values.buttons}
                onChange={(event) => onChange({ ...values, buttons: event.target.value })}
              >
                <option value="link">{m.link}</option>
                <option value="drop">{m.drop}</option>
              </Select>
            )}
          </Field>
          <Field
            label={m.textLimit}
            hint={m.textLimitHint}
            {...(limit && { error: limit.code === 'out_of_range' ? m.badTextLimit : problemText(limit) })}
          >
            {(ids) => (
              <TextInput
                {...ids}
                inputMode="numeric"
                value={values.text_limit}
                onChange={(event) => onChange({ ...values, text_limit: event.target.value })}
              />
            )}
          </Field>
        </>
      )}
    </>
  );
};
