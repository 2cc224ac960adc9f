import { Field, Select } from '../../components/controls.js';
import { type Plan, PLANS, planTitle } from './data.js';
import { ownersMessages as m } from './messages.js';

/** A field for the plan. */
export const PlanField = ({ value, onChange }: { readonly value: Plan; readonly onChange: (plan: Plan) => void }) => (
  <Field label={m.plan}>
    {(ids) => (
      <Select {...ids} value={value} onChange={(event) => onChange(event.target.value as Plan)}>
        {PLANS.map((plan) => (
          <option key={plan} value={plan}>
            {planTitle(plan)}
          </option>
        ))}
      </Select>
    )}
  </Field>
);

/** A field for the language of an owner's notices. */
export const LocaleField = ({
  value,
  onChange,
}: {
  readonly value: 'en' | 'ru';
  readonly onChange: (locale: 'en' | 'ru') => void;
}) => (
  <Field label={m.locale}>
    {(ids) => (
      <Select {...ids} value={value} onChange={(event) => onChange(event.target.value as 'en' | 'ru')}>
        <option value="en">English</option>
        <option value="ru">Русский</option>
      </Select>
    )}
  </Field>
);
