import { type Problems, problemText } from '../../api/problems.js';
import { Checkbox, TextField } from '../../components/controls.js';
import { type Kind, KINDS } from './data.js';
import { outputsMessages as m } from './messages.js';

/** A webhook's fields while they are being edited. */
export interface OutputDraft {
  readonly url: string;
  readonly kinds: readonly Kind[];
}

/** Fields for a webhook: its URL, and the events that it reports. */
export const OutputFields = ({
  draft,
  onChange,
  problems,
}: {
  readonly draft: OutputDraft;
  readonly onChange: (draft: OutputDraft) => void;
  readonly problems: Problems;
}) => {
  const kindsProblem = Object.entries(problems).find(([path]) => path.startsWith('kinds'))?.[1];
  const toggle = (kind: Kind, isOn: boolean): void =>
    onChange({ ...draft, kinds: isOn ? [...draft.kinds, kind] : draft.kinds.filter((each) => each !== kind) });
  return (
    <>
      <TextField
        label={m.url}
        hint={m.urlHint}
        problem={problems.url}
        className="mono"
        type="url"
        placeholder="https://"
        value={draft.url}
        onChange={(value) => onChange({ ...draft, url: value })}
      />
      <fieldset className="output-kind-choice">
        <legend>{m.kindsLabel}</legend>
        {KINDS.map((kind) => (
          <Checkbox
            key={kind}
            checked={draft.kinds.includes(kind)}
            onChange={(event) => toggle(kind, event.target.checked)}
          >
            {m.kinds[kind]} <code className="tertiary">{kind}</code>
          </Checkbox>
        ))}
        {kindsProblem && (
          <p className="field-error tone-fail" role="alert">
            {problemText(kindsProblem)}
          </p>
        )}
      </fieldset>
    </>
  );
};
