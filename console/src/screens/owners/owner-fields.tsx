import { SelectField } from '../../components/controls.js';
import { type Plan, PLANS, planTitle } from './data.js';
import { ownersMessages as m } from './messages.js';

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

/** A field for the language of an owner's notices. */
export const LocaleField = ({
  value,
  onChange,
}: {
  readonly value: 'en' | 'ru';
  readonly onChange: (locale: 'en' | 'ru') => void;
}) => (
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
