import { useState } from 'react';
import { type Api, management } from '../../../api/management.js';
import { queryClient } from '../../../api/query-client.js';
import { Button, ButtonLink } from '../../../components/button.js';
import { TextField } from '../../../components/controls.js';
import { type Secret, SecretsOnce } from '../../../components/secrets.js';
import { useScope } from '../../../session/scope.js';
import { firstRunMessages } from './messages.js';
import { PlanCheck } from './plan-check.js';
import { Step, type StepState } from './step.js';
import { Form, useSave } from '../../../components/form.js';

/** Creates the endpoint, and shows its URL, token and signing secret once. */
export const EndpointStep = ({
  state,
  plan,
  projects,
  endpoint,
  onSaving,
}: {
  readonly state: StepState;
  /** The owner's plan. */
  readonly plan: string;
  readonly projects: readonly Api<'Project'>[];
  readonly endpoint: Api<'Endpoint'> | undefined;
  /** Called with true when the secrets appear, and with false when they disappear. */
  readonly onSaving: (isSaving: boolean) => void;
}) => {
  const { endpoint: m } = firstRunMessages;
  const [secrets, setSecrets] = useState<readonly Secret[] | null>(null);
  if (state === 'done' && endpoint)
    return (
      <Step
        number={3}
        state={state}
        title={m.title}
        text={
          <>
            <bdi>{endpoint.name ?? endpoint.slug}</bdi>. {m.shownOnce}
          </>
        }
        action={
          <ButtonLink size="small" look="quiet" to="/endpoints/$id" params={{ id: endpoint.id }}>
            {m.replace}
          </ButtonLink>
        }
      />
    );
  const show = (created: readonly Secret[] | null): void => {
    setSecrets(created);
    onSaving(created !== null);
  };
  return (
    <Step number={3} state={state} title={m.title} text={secrets ? `${m.text} ${m.shown}` : m.text}>
      {state === 'current' &&
        (secrets ? (
          // The button that created the secrets is gone, so the focus would be lost.
          <div ref={focusOn} className="step-secrets" tabIndex={-1} role="group" aria-label={m.title}>
            <SecretsOnce secrets={secrets} onDone={() => show(null)} />
          </div>
        ) : (
          <PlanCheck plan={plan}>
            <EndpointForm projects={projects} onCreated={show} />
          </PlanCheck>
        ))}
    </Step>
  );
};

const focusOn = (element: HTMLElement | null): void => element?.focus();

const EndpointForm = ({
  projects,
  onCreated,
}: {
  readonly projects: readonly Api<'Project'>[];
  readonly onCreated: (secrets: readonly Secret[]) => void;
}) => {
  const { endpoint: m } = firstRunMessages;
  const scope = useScope();
  const [name, setName] = useState(m.defaultName);
  const { save, isBusy, problems } = useSave(async () => {
    const body = { ...scope.query, name, project_ids: projects.map(({ id }) => id), mode: 'live' as const };
    const created = await management().post('/endpoints', { body });
    onCreated([
      { label: m.url, value: created.url, variable: 'ENDPOINT_URL', isSecret: false },
      { label: m.token, value: created.token ?? '', variable: 'TOKEN', isSecret: true },
      { label: m.secret, value: created.signing_secret ?? '', variable: 'SIGNING_SECRET', isSecret: true },
    ]);
    await queryClient.invalidateQueries({ queryKey: ['endpoints'] });
  });
  return (
    <Form className="step-form" onSubmit={save}>
      <TextField label={m.name} problem={problems.name} value={name} required onChange={setName} />
      <Button type="submit" look="primary" busy={isBusy}>
        {m.create}
      </Button>
    </Form>
  );
};
