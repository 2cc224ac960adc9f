import './outputs.css';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Api, FieldProblems, management } from '../../api/management.js';
import { useProjects } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { type Secret, SecretsOnce } from '../../components/code.js';
import { SelectField } from '../../components/controls.js';
import { Form, useSave } from '../../components/form.js';
import { Empty, Loaded } from '../../components/states.js';
import { outputsMessages as m } from './messages.js';
import { type OutputDraft, OutputFields, secretForms } from './output-settings.js';
import { refreshOutputs } from './data.js';

interface Created {
  readonly id: string;
  readonly secrets: readonly Secret[];
}

/** Creates a webhook, and shows its signing secret once. */
export const NewOutputScreen = () => {
  const projects = useProjects();
  const navigate = useNavigate();
  const [created, setCreated] = useState<Created | null>(null);
  return (
    <>
      <PageHead
        trail={
          <Link className="link" to="/outputs">
            {m.webhooks}
          </Link>
        }
        title={created ? m.created : m.newTitle}
      >
        {!created && m.newText}
      </PageHead>
      {created ? (
        <Card title={m.saveTitle} className="output-new">
          <div className="card-body">
            <SecretsOnce
              secrets={created.secrets}
              doneLabel={m.toOutput}
              onDone={() => void navigate({ to: '/outputs/$id', params: { id: created.id } })}
            />
          </div>
        </Card>
      ) : (
        <Loaded query={projects}>
          {(all) =>
            all.length === 0 ? (
              <Card label={m.newTitle}>
                <Empty
                  icon="project"
                  title={m.noProjects}
                  action={
                    <ButtonLink look="primary" to="/projects/new">
                      {m.createProject}
                    </ButtonLink>
                  }
                />
              </Card>
            ) : (
              <NewOutputForm projects={all} onCreated={setCreated} />
            )
          }
        </Loaded>
      )}
    </>
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
    onCreated({ id: output.id, secrets: secretForms(output) });
  });
  return (
    <Card label={m.newTitle} className="output-new">
      <Form className="output-form card-body" onSubmit={save}>
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
