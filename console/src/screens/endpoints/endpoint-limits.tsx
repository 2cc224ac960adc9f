import '../../components/table.css';
import { useQuery } from '@tanstack/react-query';
import { management } from '../../api/management.js';
import { Card } from '../../components/card.js';
import { Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import type { Endpoint } from './data.js';
import { endpointsMessages as m } from './messages.js';

/** The limits that apply to an endpoint, as figures. */
export const EndpointLimits = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const owner = useQuery({
    queryKey: ['owner', endpoint.owner_id],
    queryFn: () => management().get('/owners/{id}', { path: { id: endpoint.owner_id } }),
  });
  const amount = (value: number | null): string => (value === null ? m.unlimited : format.number(value));
  return (
    <Card title={m.limits}>
      <Loaded query={owner}>
        {({ limits }) => {
          const rows = [
            [m.limitNames.interval, m.seconds(endpoint.min_interval)],
            [m.limitNames.burst, limits.burst ? m.burst(limits.burst.requests, limits.burst.per_seconds) : m.unlimited],
            [m.limitNames.hourly, amount(limits.hourly)],
            [m.limitNames.monthly, amount(limits.monthly_posts)],
            [m.limitNames.sandbox, amount(limits.sandbox_daily)],
            [m.limitNames.pauses, amount(limits.pauses_per_minute)],
            [m.limitNames.replays, amount(limits.replays_per_minute)],
            [m.limitNames.discovery, amount(limits.discovery_per_minute)],
            [m.limitNames.violations, amount(limits.violations_to_disable)],
          ] as const;
          return (
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
          );
        }}
      </Loaded>
    </Card>
  );
};
