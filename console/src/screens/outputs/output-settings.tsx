import { useState } from 'react';
import { management, type Problems, problemText } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { type Secret, SecretsOnce } from '../../components/code.js';
import { Checkbox, SelectField, TextField } from '../../components/controls.js';
import { Confirmation, Dialog, happens, risk } from '../../components/dialog.js';
import { SettingsForm, useSave } from '../../components/form.js';
import { Moment } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { type Kind, KINDS, type Output, refreshOutputs } from './data.js';
import { outputsMessages as m } from './messages.js';

/** A webhook's fields while they are being edited. */
export interface OutputDraft {
  readonly url: string;
  readonly kinds: readonly Kind[];
}

interface OutputFieldsProps {
  readonly draft: OutputDraft;
  readonly onChange: (draft: OutputDraft) => void;
  readonly problems: Problems;
}

/** Fields for a webhook: its URL, and the events that it reports. */
export const OutputFields = ({ draft, onChange, problems }: OutputFieldsProps) => {
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
      <fieldset className="choices">
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

/** Changes a webhook's URL and the events that it reports. */
export const OutputSettings = ({ output }: { readonly output: Output }) => {
  const saved: OutputDraft = { url: output.url, kinds: output.kinds };
  const [draft, setDraft] = useState(saved);
  const saving = useSave(async () => {
    await management().patch('/webhook-outputs/{id}', { path: { id: output.id }, body: draft });
    await refreshOutputs();
    toast(m.saved);
  });
  return (
    <SettingsForm
      title={m.settings}
      saving={saving}
      needs="PATCH /webhook-outputs/{id}"
      isChanged={draft.url !== saved.url || draft.kinds.toSorted().join() !== saved.kinds.toSorted().join()}
      onUndo={() => setDraft(saved)}
    >
      <OutputFields draft={draft} onChange={setDraft} problems={saving.problems} />
    </SettingsForm>
  );
};

interface SecretFormsProps {
  readonly secret: string | null;
  readonly secret_whsec: string | null;
}

/** Returns the two forms of a signing secret, which are shown once. */
export const secretForms = ({ secret, secret_whsec: standard }: SecretFormsProps): readonly Secret[] => [
  { label: m.secretRaw, value: secret ?? '', variable: 'CROSSPOST_WEBHOOK_SECRET', isSecret: true },
  { label: m.secretStandard, value: standard ?? '', variable: 'CROSSPOST_WEBHOOK_SECRET_WHSEC', isSecret: true },
];

/** The signing secret of a webhook, which can be replaced but not viewed. */
export const OutputSecret = ({ output }: { readonly output: Output }) => {
  const [isAsking, setIsAsking] = useState(false);
  const [overlap, setOverlap] = useState('1440');
  const [shown, setShown] = useState<readonly Secret[] | null>(null);
  const rotate = async (): Promise<void> => {
    const answer = await management().post('/webhook-outputs/{id}/rotate-secret', {
      path: { id: output.id },
      body: { overlap_minutes: Number(overlap) },
    });
    setShown(secretForms(answer));
    await refreshOutputs();
  };
  return (
    <Card
      title={m.secret}
      aside={
        <Button needs="POST /webhook-outputs/{id}/rotate-secret" size="small" onClick={() => setIsAsking(true)}>
          {m.replace}
        </Button>
      }
    >
      <p className="card-body secondary">
        {m.hidden}
        {output.previous_secret_until !== null && (
          <>
            . {m.previous} <Moment at={output.previous_secret_until} />
          </>
        )}
      </p>
      {isAsking && (
        <Confirmation
          title={m.rotateTitle}
          consequences={[happens(m.rotateHappens), risk(m.rotateRisk)]}
          verb={m.rotateVerb}
          run={rotate}
          onClose={() => setIsAsking(false)}
          fields={
            <SelectField
              label={m.overlap}
              value={overlap}
              onChange={setOverlap}
              options={Object.entries(m.overlapOptions)}
            />
          }
        />
      )}
      {shown && (
        <Dialog title={m.saveTitle} isOpen isLocked onClose={() => setShown(null)} className="wide">
          <SecretsOnce secrets={shown} onDone={() => setShown(null)} />
        </Dialog>
      )}
    </Card>
  );
};
