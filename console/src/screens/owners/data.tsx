import { useQuery } from '@tanstack/react-query';
import { type Api, management, queryClient } from '../../api/management.js';
import { readAll } from '../../api/things.js';
import { SecretsOnce } from '../../components/code.js';
import { SelectField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { ownersMessages as m } from './messages.js';

export type Owner = Api<'Owner'>;

export const PLANS = ['free', 'mini', 'standard', 'pro', 'maxi', 'business'] as const;
export type Plan = (typeof PLANS)[number];

/** Returns a plan's human-readable name. */
export const planTitle = (plan: string): string => plan.charAt(0).toUpperCase() + plan.slice(1);

/** Returns the query for all owners. */
export const useOwners = () =>
  useQuery({
    queryKey: ['owners'],
    queryFn: () => readAll((page) => management().get('/owners', { query: page })),
  });

/** Returns the query for one owner. */
export const useOwner = (id: string) =>
  useQuery({ queryKey: ['owner', id], queryFn: () => management().get('/owners/{id}', { path: { id } }) });

/** Fetches the owners again after a change. */
export const refreshOwners = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey: [first] }) => first === 'owners' || first === 'owner' });

/** A field for the plan. */
export const PlanField = ({ value, onChange }: { readonly value: Plan; readonly onChange: (plan: Plan) => void }) => (
  <SelectField label={m.plan} value={value} onChange={(value) => onChange(value as Plan)}>
    {PLANS.map((plan) => (
      <option key={plan} value={plan}>
        {planTitle(plan)}
      </option>
    ))}
  </SelectField>
);

interface LocaleFieldProps {
  readonly value: 'en' | 'ru';
  readonly onChange: (locale: 'en' | 'ru') => void;
}

/** A field for the language of an owner's notices. */
export const LocaleField = ({ value, onChange }: LocaleFieldProps) => (
  <SelectField
    label={m.locale}
    value={value}
    onChange={(value) => onChange(value as 'en' | 'ru')}
    options={[
      ['en', 'English'],
      ['ru', 'Русский'],
    ]}
  />
);

/** Shows an owner's new key, once. */
export const KeyDialog = ({ value, onClose }: { readonly value: string; readonly onClose: () => void }) => (
  <Dialog title={m.keyTitle} isOpen isLocked onClose={onClose} className="wide">
    <SecretsOnce secrets={[{ label: m.keyLabel, value, variable: 'CROSSPOST_KEY', isSecret: true }]} onDone={onClose} />
  </Dialog>
);
