import { useState } from 'react';
import { management } from '../../api/management.js';
import { type Problems, problemText, readProblems } from '../../api/problems.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Field, TextInput } from '../../components/controls.js';
import { toast, toastError } from '../../components/toasts.js';
import { type Owner, refreshOwners } from './data.js';
import { ownersMessages as m } from './messages.js';
import { LocaleField, PlanField } from './owner-fields.js';

/** Changes an owner's name, plan and notice language. */
export const OwnerSettings = ({ owner }: { readonly owner: Owner }) => {
  const [name, setName] = useState(owner.name);
  const [plan, setPlan] = useState(owner.plan);
  const [locale, setLocale] = useState(owner.locale);
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setIsBusy] = useState(false);
  const isChanged = name !== owner.name || plan !== owner.plan || locale !== owner.locale;
  const save = async (): Promise<void> => {
    setIsBusy(true);
    setProblems({});
    try {
      await management().patch('/owners/{id}', { path: { id: owner.id }, body: { name, plan, locale } });
      await refreshOwners();
      toast(m.saved);
    } catch (error) {
      const found = readProblems(error);
      if (found) setProblems(found);
      else toastError(error);
    }
    setIsBusy(false);
  };
  return (
    <Card title={m.edit}>
      <form
        className="owner-form card-body"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label={m.name} {...(problems.name && { error: problemText(problems.name) })}>
          {(ids) => <TextInput {...ids} value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <PlanField value={plan} onChange={setPlan} />
        <LocaleField value={locale} onChange={setLocale} />
        <div>
          <Button type="submit" disabled={!isChanged} busy={isBusy}>
            {m.save}
          </Button>
        </div>
      </form>
    </Card>
  );
};
