import { useState } from 'react';
import { management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { type Plan, refreshOwners } from './data.js';
import { ownersMessages as m } from './messages.js';
import { LocaleField, PlanField } from './owner-fields.js';
import { Form, useSave } from '../../components/form.js';

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
  const { save, isBusy, problems } = useSave(async () => {
    const { key } = await management().post('/owners', { body: { name, plan, locale } });
    await refreshOwners();
    onClose();
    if (key !== null) onAdded(key);
  });
  return (
    <Dialog title={m.addTitle} isOpen onClose={onClose}>
      <Form className="owner-form" onSubmit={save}>
        <TextField label={m.name} problem={problems.name} autoFocus value={name} onChange={setName} />
        <PlanField value={plan} onChange={setPlan} />
        <LocaleField value={locale} onChange={setLocale} />
        <div className="dialog-actions">
          <Button look="primary" type="submit" busy={isBusy}>
            {m.addVerb}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};
