import { useState } from 'react';
import { management } from '../../api/management.js';
import { type Problems, problemText, readProblems } from '../../api/problems.js';
import { Button } from '../../components/button.js';
import { Field, TextInput } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { toastError } from '../../components/toasts.js';
import { type Plan, refreshOwners } from './data.js';
import { ownersMessages as m } from './messages.js';
import { LocaleField, PlanField } from './owner-fields.js';

/** Adds an owner. Its key is passed on, because the gateway shows it only once. */
export const AddOwnerDialog = ({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void;
  readonly onAdded: (key: string) => void;
}) => {
  const [name, setName] = useState('');
  const [plan, setPlan] = useState<Plan>('free');
  const [locale, setLocale] = useState<'en' | 'ru'>('en');
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setIsBusy] = useState(false);
  const add = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const { key } = await management().post('/owners', { body: { name, plan, locale } });
      await refreshOwners();
      onClose();
      if (key !== null) onAdded(key);
    } catch (error) {
      const found = readProblems(error);
      if (found) setProblems(found);
      else toastError(error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={m.addTitle} isOpen onClose={onClose}>
      <form
        className="owner-form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field label={m.name} {...(problems.name && { error: problemText(problems.name) })}>
          {(ids) => <TextInput {...ids} autoFocus value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <PlanField value={plan} onChange={setPlan} />
        <LocaleField value={locale} onChange={setLocale} />
        <div className="dialog-actions">
          <Button look="primary" type="submit" busy={isBusy}>
            {m.addVerb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
