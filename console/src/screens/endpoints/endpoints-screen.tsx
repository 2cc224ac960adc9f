import '../../components/table.css';
import './endpoints.css';
import { Link } from '@tanstack/react-router';
import { useEndpoints, useNames } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, Loaded } from '../../components/states.js';
import { toast, toastError } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { enableEndpoint, type Endpoint, endpointName, EndpointState } from './data.js';
import { endpointsMessages as m } from './messages.js';

/** All endpoints, and which of them accept posts. */
export const EndpointsScreen = () => {
  const endpoints = useEndpoints();
  const all = endpoints.data ?? [];
  const off = all.filter(({ is_active: isActive }) => !isActive).length;
  const title = all.length === 0 ? m.none : off > 0 ? m.someOff(all.length - off, off) : m.all(all.length);
  const firstOff = all.find(({ disabled_by: by }) => by === 'rate_limits')?.id;
  const create = (
    <ButtonLink look={firstOff === undefined ? 'primary' : 'plain'} icon="plus" to="/endpoints/new">
      {m.create}
    </ButtonLink>
  );
  return (
    <>
      <PageHead title={endpoints.data ? title : '…'} {...(all.length > 0 && { actions: create })} />
      <Card label={m.endpoints}>
        <Loaded query={endpoints}>
          {() =>
            all.length === 0 ? (
              <Empty icon="endpoint" title={m.noneTitle} action={create}>
                {m.noneText}
              </Empty>
            ) : (
              <EndpointTable endpoints={all} firstOff={firstOff} />
            )
          }
        </Loaded>
      </Card>
    </>
  );
};

interface EndpointTableProps {
  readonly endpoints: readonly Endpoint[];
  readonly firstOff: string | undefined;
}

const EndpointTable = ({ endpoints, firstOff }: EndpointTableProps) => {
  const names = useNames();
  const enable = async (id: string): Promise<void> => {
    try {
      await enableEndpoint(id);
      toast(m.enabled);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div className="table-scroll">
      <table className="table stacked">
        <thead>
          <tr>
            <th>{m.name}</th>
            <th>{m.state}</th>
            <th>{m.projects}</th>
            <th className="number">{m.interval}</th>
            <th>
              <span className="visually-hidden">{m.action}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => (
            <tr key={endpoint.id} className="selectable">
              <td>
                <Link className="endpoint-name" to="/endpoints/$id" params={{ id: endpoint.id }}>
                  <bdi className="cut">{endpointName(endpoint)}</bdi>
                </Link>
              </td>
              <td>
                <EndpointState endpoint={endpoint} />
              </td>
              <td className="secondary">
                <bdi className="cut endpoint-projects">
                  {format.list(endpoint.project_ids.map((id) => names.project(id)?.name ?? '…'))}
                </bdi>
              </td>
              <td className="number" data-label={m.interval}>
                {endpoint.min_interval === 0 ? m.noInterval : m.seconds(endpoint.min_interval)}
              </td>
              <td className="right">
                {!endpoint.is_active && endpoint.disabled_by !== 'plan' && (
                  <Button
                    size="small"
                    look={endpoint.id === firstOff ? 'primary' : 'plain'}
                    onClick={() => void enable(endpoint.id)}
                  >
                    {m.enable}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
