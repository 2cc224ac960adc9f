import { useState } from 'react';
import { type Api, management } from '../../../api/management.js';
import { type Problems, problemText, readProblems } from '../../../api/problems.js';
import { queryClient } from '../../../api/query-client.js';
import { Button, ButtonLink } from '../../../components/button.js';
import { Checkbox, Field, TextInput } from '../../../components/controls.js';
import { NetworkMark } from '../../../components/icon.js';
import { SentenceText } from '../../../components/sentence.js';
import { toastError } from '../../../components/toasts.js';
import { sentence } from '../../../i18n/sentence.js';
import { useScope } from '../../../session/scope.js';
import { firstRunMessages } from './messages.js';
import { Step, type StepState } from './step.js';

/** Creates the first project. All channels are selected at first. */
export const ProjectStep = ({
  state,
  channels,
  project,
}: {
  readonly state: StepState;
  readonly channels: readonly Api<'Channel'>[];
  readonly project: Api<'Project'> | undefined;
}) => {
  const { project: m } = firstRunMessages;
  if (state !== 'done' || !project)
    return (
      <Step number={2} state={state} title={m.title} text={m.text}>
        {state === 'current' && <ProjectForm channels={channels} />}
      </Step>
    );
  return (
    <Step
      number={2}
      state={state}
      title={m.title}
      text={<SentenceText of={sentence(m.done(project.channel_ids.length), { name: { name: project.name } })} />}
      action={
        <ButtonLink size="small" look="quiet" to="/projects/$id" params={{ id: project.id }}>
          {m.change}
        </ButtonLink>
      }
    />
  );
};

const ProjectForm = ({ channels }: { readonly channels: readonly Api<'Channel'>[] }) => {
  const { project: m } = firstRunMessages;
  const scope = useScope();
  const [name, setName] = useState(m.defaultName);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setIsBusy] = useState(false);
  const chosen = channels.filter(({ id }) => !left.has(id)).map(({ id }) => id);
  const create = async (): Promise<void> => {
    if (chosen.length === 0) return;
    setIsBusy(true);
    try {
      await management().post('/projects', { body: { ...scope.query, name, channel_ids: chosen } });
      await queryClient.invalidateQueries({ queryKey: ['projects'] });
    } catch (error) {
      const found = readProblems(error);
      setProblems(found ?? {});
      if (!found) toastError(error);
    }
    setIsBusy(false);
  };
  const toggle = (id: string, isChosen: boolean): void => {
    const next = new Set(left);
    if (isChosen) next.delete(id);
    else next.add(id);
    setLeft(next);
  };
  return (
    <form
      className="step-form"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <Field label={m.name} error={problems.name && problemText(problems.name)}>
        {(ids) => <TextInput {...ids} value={name} required onChange={(event) => setName(event.target.value)} />}
      </Field>
      <fieldset>
        <legend>{m.channels}</legend>
        {channels.map(({ id, name: channel, platform }) => (
          <Checkbox key={id} checked={!left.has(id)} onChange={(event) => toggle(id, event.target.checked)}>
            <NetworkMark platform={platform} size={16} /> <bdi>{channel}</bdi>
          </Checkbox>
        ))}
        {chosen.length === 0 && (
          <p className="tone-fail" role="alert">
            {m.noChannel}
          </p>
        )}
      </fieldset>
      <Button type="submit" look="primary" busy={isBusy}>
        {m.create}
      </Button>
    </form>
  );
};
