import './endpoints.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { endpointName } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, Columns, Stack } from '../../components/card.js';
import { CodeSwitcher } from '../../components/code.js';
import { Confirmation, happens, risk, stays } from '../../components/dialog.js';
import { useSave } from '../../components/form.js';
import { ResourcePage } from '../../components/resource.js';
import { Loaded } from '../../components/states.js';
import { FigureTable } from '../../components/table.js';
import { toast } from '../../components/toasts.js';
import { HistoryLink } from '../../history/history-link.js';
import { format } from '../../i18n/format.js';
import { readBrand } from '../../publish-code/brand.js';
import { publishCode } from '../../publish-code/publish-code.js';
import { useMay } from '../../session/rights.js';
import { enableEndpoint, type Endpoint, EndpointState, refreshEndpoints, useEndpoint } from './data.js';
import { CancelPlannedDialog, EndpointAccess, type WithPlanned } from './endpoint-access.js';
import { EndpointSettings } from './endpoint-settings.js';
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
            [m.limitNames.interval, format.exact(endpoint.min_interval * 1000)],
            [
              m.limitNames.burst,
              limits.burst
                ? m.burst(limits.burst.requests, format.exact(limits.burst.per_seconds * 1000))
                : m.unlimited,
            ],
            [m.limitNames.hourly, amount(limits.hourly)],
            [m.limitNames.monthly, amount(limits.monthly_posts)],
            [m.limitNames.sandbox, amount(limits.sandbox_daily)],
            [m.limitNames.pauses, amount(limits.pauses_per_minute)],
            [m.limitNames.replays, amount(limits.replays_per_minute)],
            [m.limitNames.discovery, amount(limits.discovery_per_minute)],
            [m.limitNames.violations, amount(limits.violations_to_disable)],
          ] as const;
          return <FigureTable rows={rows} />;
        }}
      </Loaded>
    </Card>
  );
};

/** The screen for an endpoint: its switch, URL and secrets, settings, limits, and how to post to it. */
export const EndpointScreen = () => {
  const { id } = useParams({ from: '/endpoints/$id' });
  const endpoint = useEndpoint(id);
  return (
    <Loaded isPage query={endpoint}>
      {(found) => <EndpointPage key={found.id} endpoint={found} />}
    </Loaded>
  );
};

const EndpointPage = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const [open, setOpen] = useState<'disable' | 'remove' | null>(null);
  const [planned, setPlanned] = useState<WithPlanned | null>(null);
  const { save: enable, isBusy } = useSave(async () => {
    await enableEndpoint(endpoint.id);
    toast(m.enabled);
  });
  const name = endpointName(endpoint);
  const isOff = !endpoint.is_active;
  const title = isOff ? m.isOff(name) : endpoint.mode === 'test' ? m.isTest(name) : m.isOn(name);
  return (
    <ResourcePage
      to="/endpoints"
      list={m.endpoints}
      here={name}
      title={title}
      actions={
        <>
          <ButtonLink to="/requests" search={{ endpoint: endpoint.id }} icon="requests">
            {m.requests}
          </ButtonLink>
          {!isOff && (
            <Button needs="POST /endpoints/{id}/disable" onClick={() => setOpen('disable')}>
              {m.disable}
            </Button>
          )}
        </>
      }
      summary={
        <span className="row">
          <EndpointState endpoint={endpoint} /> {endpoint.is_console && m.ownText} <HistoryLink id={endpoint.id} />
        </span>
      }
      offBecause={endpoint.disabled_by && m.why[endpoint.disabled_by]}
      remedies={
        <Button needs="POST /endpoints/{id}/enable" look="primary" busy={isBusy} onClick={enable}>
          {m.enable}
        </Button>
      }
    >
      <Columns first="1.15fr">
        <Stack>
          {!endpoint.is_console && <EndpointAccess endpoint={endpoint} />}
          <EndpointSettings endpoint={endpoint} />
        </Stack>
        <Stack>
          {!endpoint.is_console && (
            <Card title={m.use}>
              <div className="card-body">
                <CodeSwitcher
                  code={publishCode(
                    endpoint,
                    { text: 'Good morning, harbour' },
                    endpoint.mode === 'live' ? 'random' : 'none',
                    readBrand(),
                  )}
                />
              </div>
            </Card>
          )}
          {useMay('GET /owners/{id}') && <EndpointLimits endpoint={endpoint} />}
          <div>
            <Button needs="DELETE /endpoints/{id}" look="danger" onClick={() => setOpen('remove')}>
              {m.remove}
            </Button>
          </div>
        </Stack>
      </Columns>
      {open && (
        <EndpointConfirmation
          kind={open}
          endpoint={endpoint}
          onClose={() => setOpen(null)}
          onDisabled={(disabled) => disabled.planned_posts > 0 && setPlanned(disabled)}
        />
      )}
      {planned && <CancelPlannedDialog endpoint={planned} onClose={() => setPlanned(null)} />}
    </ResourcePage>
  );
};

interface EndpointConfirmationProps {
  readonly kind: 'disable' | 'remove';
  readonly endpoint: Endpoint;
  readonly onClose: () => void;
  readonly onDisabled: (disabled: WithPlanned) => void;
}

const EndpointConfirmation = ({ kind, endpoint, onClose, onDisabled }: EndpointConfirmationProps) => {
  const navigate = useNavigate();
  const name = endpointName(endpoint);
  const path = { id: endpoint.id };
  if (kind === 'disable')
    return (
      <Confirmation
        title={<bdi>{m.disableTitle(name)}</bdi>}
        consequences={[happens(m.disableHappens), stays(m.disableStays)]}
        verb={m.disableVerb}
        run={async () => {
          onDisabled(await management().post('/endpoints/{id}/disable', { path }));
          await refreshEndpoints();
          toast(m.disabled);
        }}
        onClose={onClose}
      />
    );
  return (
    <Confirmation
      title={<bdi>{m.removeTitle(name)}</bdi>}
      consequences={[happens(m.removeHappens), risk(m.removeQueue), stays(m.removeStays)]}
      verb={m.removeVerb}
      isDanger
      run={async () => {
        await management().delete('/endpoints/{id}', { path });
        toast(m.removed);
        await navigate({ to: '/endpoints' });
        await refreshEndpoints();
      }}
      onClose={onClose}
    />
  );
};
