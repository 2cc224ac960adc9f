import './outputs.css';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Api, FieldProblems, management } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { type Secret } from '../../components/code.js';
import { SelectField } from '../../components/controls.js';
import { Form, useSave } from '../../components/form.js';
import { NewResourcePage } from '../../components/resource.js';
import { refreshOutputs } from './data.js';
import { outputsMessages as m } from './messages.js';
import { type OutputDraft, OutputFields, secretForms } from './output-settings.js';

interface Created {
  readonly id: string;
  readonly title: string;
  readonly secrets: readonly Secret[];
}

/** Creates a webhook, and shows its signing secret once. */
export const NewOutputScreen = () => {
  const navigate = useNavigate();
  const [created, setCreated] = useState<Created | null>(null);
  return (
    <NewResourcePage
      to="/outputs"
      list={m.webhooks}
      texts={m}
      created={created}
      doneLabel={m.toOutput}
      onDone={() => void navigate({ to: '/outputs/$id', params: { id: created?.id ?? '' } })}
    >
      {(projects) => <NewOutputForm projects={projects} onCreated={setCreated} />}
    </NewResourcePage>
  );
};

interface NewOutputFormProps {
  readonly projects: readonly Api<'Project'>[];
  readonly onCreated: (created: Created) => void;
}

const NewOutputForm = ({ projects, onCreated }: NewOutputFormProps) => {
  const [projectId, setProjectId] = useState(projects.length === 1 ? (projects[0]?.id ?? '') : '');
  const [draft, setDraft] = useState<OutputDraft>({ url: '', kinds: ['post.published'] });
  const { save, isBusy, problems } = useSave(async () => {
    if (projectId === '')
      throw new FieldProblems({ project_id: { path: 'project_id', code: 'empty', message: m.chooseProject } });
    const output = await management().post('/webhook-outputs', { body: { ...draft, project_id: projectId } });
    await refreshOutputs();
    onCreated({ id: output.id, title: m.created, secrets: secretForms(output) });
  });
  return (
    <Card label={m.newTitle} className="narrow-card">
      <Form className="form-fields" onSubmit={save}>
        <SelectField
          label={m.project}
          problem={problems.project_id}
          value={projectId}
          onChange={setProjectId}
          placeholder={m.choose}
          options={projects.map(({ id, name }) => [id, name])}
        />
        <OutputFields draft={draft} onChange={setDraft} problems={problems} />
        <div>
          <Button look="primary" type="submit" busy={isBusy}>
            {m.create}
          </Button>
        </div>
      </Form>
    </Card>
  );
};
