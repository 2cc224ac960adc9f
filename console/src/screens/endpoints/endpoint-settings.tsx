import { useState } from 'react';
import { management } from '../../api/management.js';
import { type Problems, readProblems } from '../../api/problems.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { toast, toastError } from '../../components/toasts.js';
import { type Endpoint, refreshEndpoints } from './data.js';
import { type EndpointDraft, EndpointFields, toBody } from './endpoint-fields.js';
import { endpointsMessages as m } from './messages.js';

const toDraft = (endpoint: Endpoint): EndpointDraft => ({
  name: endpoint.name ?? '',
  projectIds: endpoint.project_ids,
  interval: String(endpoint.min_interval),
  requireSignature: endpoint.require_signature,
  requireTimestamp: endpoint.require_timestamp,
  allowlist: endpoint.ip_allowlist.join('\n'),
  verbose: endpoint.verbose_discovery,
  requireApproval: endpoint.requires_approval,
});

/** Changes the settings of an endpoint. Keeps typed values if the endpoint is changed elsewhere. */
export const EndpointSettings = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const [changes, setChanges] = useState<Partial<EndpointDraft>>({});
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setIsBusy] = useState(false);
  const draft = { ...toDraft(endpoint), ...changes };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(toDraft(endpoint));
  const save = async (): Promise<void> => {
    setIsBusy(true);
    setProblems({});
    try {
      await management().patch('/endpoints/{id}', { path: { id: endpoint.id }, body: toBody(draft) });
      await refreshEndpoints();
      setChanges({});
      toast(m.saved);
    } catch (error) {
      const found = readProblems(error);
      if (found) setProblems(found);
      else toastError(error);
    }
    setIsBusy(false);
  };
  return (
    <Card title={m.settings}>
      <form
        className="endpoint-form card-body"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <EndpointFields
          draft={draft}
          requiresApproval={endpoint.requires_approval}
          onChange={(next) => setChanges({ ...changes, ...next })}
          problems={problems}
        />
        <div>
          <Button type="submit" disabled={!isChanged} busy={isBusy}>
            {m.save}
          </Button>
        </div>
      </form>
    </Card>
  );
};
