import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { management } from '../../../api/management.js';
import { Icon } from '../../../components/icon.js';
import { Loaded } from '../../../components/states.js';
import { format } from '../../../i18n/format.js';
import { firstRunMessages } from './messages.js';

/**
 * Renders its children if the plan includes endpoints. Otherwise explains that it does not, and names the plans that
 * do.
 */
export const PlanCheck = ({ plan, children }: { readonly plan: string; readonly children: ReactNode }) => {
  const { endpoint: m } = firstRunMessages;
  const plans = useQuery({ queryKey: ['plans'], queryFn: () => management().get('/plans') });
  return (
    <Loaded query={plans} rows={2}>
      {({ plans: all }) => {
        const including = Object.entries(all).flatMap(([name, { webhook_input: has }]) => (has ? [name] : []));
        if (including.includes(plan)) return children;
        return (
          <p className="plan-note">
            <Icon name="onHold" tone="warn" />
            <span>{m.notInPlan(capitalize(plan), format.list(including.map(capitalize)))}</span>
          </p>
        );
      }}
    </Loaded>
  );
};

const capitalize = (plan: string): string => plan.slice(0, 1).toUpperCase() + plan.slice(1);
