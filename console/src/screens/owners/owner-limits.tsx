import '../../components/table.css';
import { Card } from '../../components/card.js';
import { format } from '../../i18n/format.js';
import type { Owner } from './data.js';
import { ownersMessages as m } from './messages.js';

/** The limits that apply to an owner, as figures. */
export const OwnerLimits = ({ owner: { limits } }: { readonly owner: Owner }) => {
  const amount = (value: number | null): string => (value === null ? m.unlimited : format.number(value));
  const { monthly_posts: monthly, hourly, burst, sandbox_daily: sandbox, resources } = limits;
  const rows = [
    [m.limitNames.monthly, amount(monthly)],
    [m.limitNames.hourly, amount(hourly)],
    [m.limitNames.burst, burst ? m.burst(burst.requests, burst.per_seconds) : m.unlimited],
    [m.limitNames.sandbox, amount(sandbox)],
    [m.limitNames.channels, amount(resources.channels)],
    [m.limitNames.projects, amount(resources.projects)],
    [m.limitNames.endpoints, amount(resources.endpoints)],
    [m.limitNames.outputs, amount(resources.webhook_outputs)],
    [m.limitNames.outputsPerProject, amount(resources.outputs_per_project)],
    [m.limitNames.targets, amount(resources.targets_per_post)],
    [m.limitNames.input, limits.webhook_input ? m.yes : m.no],
    [m.limitNames.output, limits.webhook_output ? m.yes : m.no],
  ] as const;
  return (
    <Card title={m.limits}>
      <table className="table">
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="number">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
};
