import { useState } from 'react';
import { management } from '../../api/management.js';
import { SettingsForm, useSave } from '../../components/form.js';
import { toast } from '../../components/toasts.js';
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
  const draft = { ...toDraft(endpoint), ...changes };
  const saving = useSave(async () => {
    await management().patch('/endpoints/{id}', { path: { id: endpoint.id }, body: toBody(draft) });
    await refreshEndpoints();
    setChanges({});
    toast(m.saved);
  });
  return (
    <SettingsForm
      title={m.settings}
      saving={saving}
      isChanged={JSON.stringify(draft) !== JSON.stringify(toDraft(endpoint))}
      onUndo={() => setChanges({})}
    >
      <EndpointFields
        draft={draft}
        requiresApproval={endpoint.requires_approval}
        onChange={(next) => setChanges({ ...changes, ...next })}
        problems={saving.problems}
      />
    </SettingsForm>
  );
};
