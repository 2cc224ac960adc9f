import { useState } from 'react';
import { management } from '../../api/management.js';
import { TextField } from '../../components/controls.js';
import { SettingsForm, useSave } from '../../components/form.js';
import { toast } from '../../components/toasts.js';
import { type Owner, refreshOwners } from './data.js';
import { ownersMessages as m } from './messages.js';
import { LocaleField, PlanField } from './owner-fields.js';

/** Changes an owner's name, plan and notice language. */
export const OwnerSettings = ({ owner }: { readonly owner: Owner }) => {
  const saved = { name: owner.name, plan: owner.plan, locale: owner.locale };
  const [draft, setDraft] = useState(saved);
  const saving = useSave(async () => {
    await management().patch('/owners/{id}', { path: { id: owner.id }, body: draft });
    await refreshOwners();
    toast(m.saved);
  });
  return (
    <SettingsForm
      title={m.edit}
      saving={saving}
      isChanged={JSON.stringify(draft) !== JSON.stringify(saved)}
      onUndo={() => setDraft(saved)}
    >
      <TextField
        label={m.name}
        problem={saving.problems.name}
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <PlanField value={draft.plan} onChange={(plan) => setDraft({ ...draft, plan })} />
      <LocaleField value={draft.locale} onChange={(locale) => setDraft({ ...draft, locale })} />
    </SettingsForm>
  );
};
