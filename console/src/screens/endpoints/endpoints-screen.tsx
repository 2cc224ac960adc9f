import './endpoints.css';
import { Link } from '@tanstack/react-router';
import { endpointName, useEndpoints, useNames } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, Loaded } from '../../components/states.js';
import { DataTable } from '../../components/table.js';
import { toast, toastError } from '../../components/toasts.js';
import { CsvButton, wholeList } from '../../csv/csv-button.js';
import { endpointColumns } from '../../csv/lists.js';
import { format } from '../../i18n/format.js';
import { enableEndpoint, type Endpoint, EndpointState } from './data.js';
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
      <PageHead
        title={endpoints.data ? title : '…'}
        {...(all.length > 0 && {
          actions: (
            <>
              <CsvButton name="endpoints" columns={endpointColumns()} readPage={wholeList(all)} />
              {create}
            </>
          ),
        })}
      />
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
    <DataTable
      className="stacked"
      items={endpoints}
      keyOf={({ id }) => id}
      columns={[
        {
          title: m.name,
          sortBy: endpointName,
          cell: (endpoint) => (
            <>
              <Link className="table-name" to="/endpoints/$id" params={{ id: endpoint.id }}>
                <bdi className="cut">{endpointName(endpoint)}</bdi>
              </Link>{' '}
              {endpoint.is_console && <span className="tertiary">{m.own}</span>}
            </>
          ),
        },
        {
          title: m.state,
          sortBy: ({ is_active: isActive, mode }) => `${isActive} ${mode}`,
          cell: (endpoint) => <EndpointState endpoint={endpoint} />,
        },
        {
          title: m.projects,
          className: 'secondary',
          cell: ({ project_ids: ids }) => (
            <bdi className="cut endpoint-projects">{format.list(ids.map((id) => names.project(id)?.name ?? '…'))}</bdi>
          ),
        },
        {
          title: m.interval,
          className: 'number',
          isLabelled: true,
          sortBy: ({ min_interval: interval }) => interval,
          cell: ({ min_interval: interval }) => (interval === 0 ? m.noInterval : format.exact(interval * 1000)),
        },
        {
          title: m.action,
          isTitleHidden: true,
          className: 'right',
          cell: ({ id, is_active: isActive, disabled_by: by }) =>
            !isActive &&
            by !== 'plan' && (
              <Button
                needs="POST /endpoints/{id}/enable"
                size="small"
                look={id === firstOff ? 'primary' : 'plain'}
                onClick={() => void enable(id)}
              >
                {m.enable}
              </Button>
            ),
        },
      ]}
    />
  );
};
