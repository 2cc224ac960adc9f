import { useState } from 'react';
import { management } from '../../api/management.js';
import { SettingsForm, useSave } from '../../components/form.js';
import { toast } from '../../components/toasts.js';
import { type Output, refreshOutputs } from './data.js';
import { outputsMessages as m } from './messages.js';
import { type OutputDraft, OutputFields } from './output-fields.js';

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
      isChanged={draft.url !== saved.url || draft.kinds.toSorted().join() !== saved.kinds.toSorted().join()}
      onUndo={() => setDraft(saved)}
    >
      <OutputFields draft={draft} onChange={setDraft} problems={saving.problems} />
    </SettingsForm>
  );
};
