import { useState } from 'react';
import { type Api, management, queryClient } from '../../../api/management.js';
import { Button, ButtonLink } from '../../../components/button.js';
import { Checkbox, TextField } from '../../../components/controls.js';
import { Form, useSave } from '../../../components/form.js';
import { NetworkMark } from '../../../components/icon.js';
import { SentenceText } from '../../../components/sentence.js';
import { sentence } from '../../../i18n/format.js';
import { useScope } from '../../../session/session.js';
import { firstRunMessages } from './messages.js';
import { Step, type StepState } from './step.js';

interface ProjectStepProps {
  readonly state: StepState;
  readonly channels: readonly Api<'Channel'>[];
  readonly project: Api<'Project'> | undefined;
}

/** Creates the first project. All channels are selected at first. */
export const ProjectStep = ({ state, channels, project }: ProjectStepProps) => {
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
  const chosen = channels.filter(({ id }) => !left.has(id)).map(({ id }) => id);
  const { save, isBusy, problems } = useSave(async () => {
    if (chosen.length === 0) return;
    await management().post('/projects', { body: { ...scope.query, name, channel_ids: chosen } });
    await queryClient.invalidateQueries({ queryKey: ['projects'] });
  });
  const toggle = (id: string, isChosen: boolean): void => {
    const next = new Set(left);
    if (isChosen) next.delete(id);
    else next.add(id);
    setLeft(next);
  };
  return (
    <Form className="step-form" onSubmit={save}>
      <TextField label={m.name} problem={problems.name} value={name} required onChange={setName} />
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
    </Form>
  );
};
