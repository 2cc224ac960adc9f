import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Api, management, queryClient } from '../../../api/management.js';
import { Button, ButtonLink } from '../../../components/button.js';
import { type Secret, SecretsOnce } from '../../../components/code.js';
import { TextField } from '../../../components/controls.js';
import { Form, useSave } from '../../../components/form.js';
import { Icon } from '../../../components/icon.js';
import { Loaded } from '../../../components/states.js';
import { format } from '../../../i18n/format.js';
import { useScope } from '../../../session/session.js';
import { firstRunMessages } from './messages.js';
import { Step, type StepState } from './step.js';

/**
 * Renders its children if the plan includes endpoints. Otherwise explains that it does not, and names the plans that
 * do.
 */
export const PlanCheck = ({ plan, children }: { readonly plan: string; readonly children: ReactNode }) => {
  const { endpoint: m } = firstRunMessages;
  const plans = useQuery({ queryKey: ['plans'], queryFn: () => management().get('/plans') });
  return (
    <Loaded query={plans} rows={2}>
      {({ plans: all }) => {
        const including = Object.entries(all).flatMap(([name, { webhook_input: has }]) => (has ? [name] : []));
        if (including.includes(plan)) return children;
        return (
          <p className="plan-note">
            <Icon name="onHold" tone="warn" />
            <span>{m.notInPlan(capitalize(plan), format.list(including.map(capitalize)))}</span>
          </p>
        );
      }}
    </Loaded>
  );
};

const capitalize = (plan: string): string => plan.slice(0, 1).toUpperCase() + plan.slice(1);

interface EndpointStepProps {
  readonly state: StepState;
  /** The owner's plan. */
  readonly plan: string;
  readonly projects: readonly Api<'Project'>[];
  readonly endpoint: Api<'Endpoint'> | undefined;
  /** Called with true when the secrets appear, and with false when they disappear. */
  readonly onSaving: (isSaving: boolean) => void;
}

/** Creates the endpoint, and shows its URL, token and signing secret once. */
export const EndpointStep = ({ state, plan, projects, endpoint, onSaving }: EndpointStepProps) => {
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

interface EndpointFormProps {
  readonly projects: readonly Api<'Project'>[];
  readonly onCreated: (secrets: readonly Secret[]) => void;
}

const EndpointForm = ({ projects, onCreated }: EndpointFormProps) => {
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
