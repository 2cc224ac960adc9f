import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, management, type Problems, problemText } from '../../api/management.js';
import { useProjects } from '../../api/things.js';
import { AreaField, Checkbox, TextField } from '../../components/controls.js';
import { SettingsForm, useSave } from '../../components/form.js';
import { toast } from '../../components/toasts.js';
import { type Endpoint, refreshEndpoints } from './data.js';
import { endpointsMessages as m } from './messages.js';

/** An endpoint's fields while they are being edited. */
export interface EndpointDraft {
  readonly name: string;
  readonly projectIds: readonly string[];
  /** Seconds, as typed. */
  readonly interval: string;
  readonly requireSignature: boolean;
  readonly requireTimestamp: boolean;
  /** One address per line. */
  readonly allowlist: string;
  readonly verbose: boolean;
  readonly requireApproval: boolean;
  /** True if clients may change what was published through the endpoint. */
  readonly allowChanges: boolean;
}

/** Converts the fields to a request body. */
export const toBody = (draft: EndpointDraft) => ({
  name: draft.name.trim() === '' ? null : draft.name.trim(),
  project_ids: draft.projectIds,
  min_interval: Number(draft.interval.replace(',', '.')),
  require_signature: draft.requireSignature,
  require_timestamp: draft.requireTimestamp,
  ip_allowlist: draft.allowlist.split(/\s+/).filter(Boolean),
  verbose_discovery: draft.verbose,
  requires_approval: draft.requireApproval,
  allow_changes: draft.allowChanges,
});

/** Returns the query for the limits of all plans. */
export const usePlans = () => useQuery({ queryKey: ['plans'], queryFn: () => management().get('/plans') });

interface EndpointFieldsProps {
  readonly draft: EndpointDraft;
  /** True if posts through the endpoint currently need approval. */
  readonly requiresApproval?: boolean;
  /** True for the console's own endpoint, to which no program sends anything. */
  readonly isConsole?: boolean;
  readonly onChange: (changes: Partial<EndpointDraft>) => void;
  readonly problems: Problems;
}

/** Fields for an endpoint's settings. */
export const EndpointFields = ({
  draft,
  requiresApproval = false,
  isConsole = false,
  onChange,
  problems,
}: EndpointFieldsProps) => {
  const interval = usePlans().data?.min_interval;
  const errorOf = (path: string) => {
    const problem = Object.entries(problems).find(([at]) => at === path || at.startsWith(`${path}[`))?.[1];
    return problem && { error: problemText(problem) };
  };
  return (
    <>
      <TextField
        label={m.name}
        hint={m.nameHint}
        {...errorOf('name')}
        value={draft.name}
        onChange={(value) => onChange({ name: value })}
      />
      <ProjectChoice draft={draft} onChange={onChange} error={errorOf('project_ids')?.error} />
      <TextField
        label={m.intervalLabel}
        hint={interval && m.intervalHint(interval.min, interval.max)}
        {...errorOf('min_interval')}
        inputMode="numeric"
        className="endpoint-interval"
        value={draft.interval}
        onChange={(value) => onChange({ interval: value })}
      />
      <Checkbox
        checked={draft.requireApproval}
        onChange={(event) => onChange({ requireApproval: event.target.checked })}
      >
        {m.approval}{' '}
        <span className="tertiary">{requiresApproval && !draft.requireApproval ? m.approvalOff : m.approvalHint}</span>
      </Checkbox>
      {!isConsole && (
        <>
          <Checkbox checked={draft.allowChanges} onChange={(event) => onChange({ allowChanges: event.target.checked })}>
            {m.changes} <span className="tertiary">{m.changesHint}</span>
          </Checkbox>
          <Checkbox
            checked={draft.requireSignature}
            onChange={(event) => onChange({ requireSignature: event.target.checked })}
          >
            {m.signature}
          </Checkbox>
          <Checkbox
            checked={draft.requireTimestamp}
            onChange={(event) => onChange({ requireTimestamp: event.target.checked })}
          >
            {m.timestamp}
          </Checkbox>
          <Checkbox checked={draft.verbose} onChange={(event) => onChange({ verbose: event.target.checked })}>
            {m.verbose}
          </Checkbox>
          <AreaField
            label={m.allowlist}
            hint={m.allowlistHint}
            {...errorOf('ip_allowlist')}
            className="mono"
            rows={3}
            spellCheck={false}
            value={draft.allowlist}
            onChange={(value) => onChange({ allowlist: value })}
          />
        </>
      )}
    </>
  );
};

interface ProjectChoiceProps {
  readonly draft: EndpointDraft;
  readonly onChange: (changes: Partial<EndpointDraft>) => void;
  readonly error: string | undefined;
}

/** The projects that an endpoint posts to. Chosen projects keep their order; a newly chosen project comes last. */
const ProjectChoice = ({ draft: { projectIds }, onChange, error }: ProjectChoiceProps) => {
  const projects: readonly Api<'Project'>[] = useProjects().data ?? [];
  const toggle = (id: string, isOn: boolean): void =>
    onChange({ projectIds: isOn ? [...projectIds, id] : projectIds.filter((each) => each !== id) });
  return (
    <fieldset className="choices">
      <legend>
        {m.projects} <span className="tertiary">{m.projectsHint}</span>
      </legend>
      {projects.map(({ id, name }) => (
        <Checkbox key={id} checked={projectIds.includes(id)} onChange={(event) => toggle(id, event.target.checked)}>
          <bdi>{name}</bdi>
        </Checkbox>
      ))}
      {error !== undefined && (
        <p className="field-error tone-fail" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
};

const toDraft = (endpoint: Endpoint): EndpointDraft => ({
  name: endpoint.name ?? '',
  projectIds: endpoint.project_ids,
  interval: String(endpoint.min_interval),
  requireSignature: endpoint.require_signature,
  requireTimestamp: endpoint.require_timestamp,
  allowlist: endpoint.ip_allowlist.join('\n'),
  verbose: endpoint.verbose_discovery,
  requireApproval: endpoint.requires_approval,
  allowChanges: endpoint.allow_changes,
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
      needs="PATCH /endpoints/{id}"
      isChanged={JSON.stringify(draft) !== JSON.stringify(toDraft(endpoint))}
      onUndo={() => setChanges({})}
    >
      <EndpointFields
        draft={draft}
        requiresApproval={endpoint.requires_approval}
        isConsole={endpoint.is_console}
        onChange={(next) => setChanges({ ...changes, ...next })}
        problems={saving.problems}
      />
    </SettingsForm>
  );
};
