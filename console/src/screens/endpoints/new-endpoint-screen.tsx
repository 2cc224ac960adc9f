import './endpoints.css';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { FieldProblems, management } from '../../api/management.js';
import { endpointName } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { type Secret } from '../../components/code.js';
import { Segmented } from '../../components/controls.js';
import { Form, useSave } from '../../components/form.js';
import { NewResourcePage } from '../../components/resource.js';
import { Loaded } from '../../components/states.js';
import { OwnerField, useNeedsOwner } from '../../session/owner-field.js';
import { useScope } from '../../session/session.js';
import { refreshEndpoints } from './data.js';
import { type EndpointDraft, EndpointFields, toBody, usePlans } from './endpoint-settings.js';
import { endpointsMessages as m } from './messages.js';

/** Creates an endpoint, and shows its URL and secrets once. */
export const NewEndpointScreen = () => {
  const navigate = useNavigate();
  const plans = usePlans();
  const [created, setCreated] = useState<Created | null>(null);
  return (
    <NewResourcePage
      to="/endpoints"
      list={m.endpoints}
      texts={m}
      created={created}
      doneLabel={m.toEndpoint}
      onDone={() => void navigate({ to: '/endpoints/$id', params: { id: created?.id ?? '' } })}
    >
      {(all) => (
        <Loaded query={plans}>
          {({ min_interval: interval }) => (
            <NewEndpointForm
              projectId={all.length === 1 ? (all[0]?.id ?? null) : null}
              interval={interval.default}
              onCreated={setCreated}
            />
          )}
        </Loaded>
      )}
    </NewResourcePage>
  );
};

interface Created {
  readonly id: string;
  readonly title: ReactNode;
  readonly secrets: readonly Secret[];
}

interface NewEndpointFormProps {
  /** The initially chosen project; null for none. */
  readonly projectId: string | null;
  /** Seconds. */
  readonly interval: number;
  readonly onCreated: (created: Created) => void;
}

const NewEndpointForm = ({ projectId, interval, onCreated }: NewEndpointFormProps) => {
  const scope = useScope();
  const needsOwner = useNeedsOwner();
  const [mode, setMode] = useState<'live' | 'test'>('live');
  const [owner, setOwner] = useState('');
  const [isSent, setIsSent] = useState(false);
  const [draft, setDraft] = useState<EndpointDraft>({
    name: '',
    projectIds: projectId === null ? [] : [projectId],
    interval: String(interval),
    allowlist: '',
    requireSignature: false,
    requireTimestamp: false,
    verbose: false,
    requireApproval: false,
    allowChanges: true,
  });
  const { save, isBusy, problems } = useSave(async () => {
    setIsSent(true);
    if (draft.projectIds.length === 0)
      throw new FieldProblems({ project_ids: { path: 'project_ids', code: 'empty', message: m.chooseProject } });
    if (needsOwner && owner === '') return;
    const ownerId = needsOwner ? owner : scope.isOperator ? (scope.ownerId ?? '') : undefined;
    const endpoint = await management().post('/endpoints', {
      body: { ...toBody(draft), mode, ...(ownerId !== undefined && { owner_id: ownerId }) },
    });
    await refreshEndpoints();
    const { url, token, signing_secret: secret } = endpoint;
    onCreated({
      id: endpoint.id,
      title: <bdi>{m.created(endpointName(endpoint))}</bdi>,
      secrets: [
        { label: m.url, value: url, variable: 'CROSSPOST_URL', isSecret: false },
        { label: m.token, value: token ?? '', variable: 'CROSSPOST_TOKEN', isSecret: true },
        { label: m.secret, value: secret ?? '', variable: 'CROSSPOST_SIGNING_SECRET', isSecret: true },
      ],
    });
  });
  return (
    <Card label={m.newTitle} className="narrow-card">
      <Form className="form-fields" onSubmit={save}>
        <OwnerField value={owner} onChange={setOwner} isMissing={isSent} />
        <div className="row">
          <Segmented
            label={m.mode}
            value={mode}
            options={[
              { value: 'live', label: m.live },
              { value: 'test', label: m.test },
            ]}
            onChange={setMode}
          />
          <span className="tertiary">{mode === 'live' ? m.liveHint : m.testHint}</span>
        </div>
        <EndpointFields draft={draft} onChange={(changes) => setDraft({ ...draft, ...changes })} problems={problems} />
        <div>
          <Button look="primary" type="submit" busy={isBusy}>
            {m.create}
          </Button>
        </div>
      </Form>
    </Card>
  );
};
