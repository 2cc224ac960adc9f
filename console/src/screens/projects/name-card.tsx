import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Problems, readProblems } from '../../api/problems.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { FormEnd } from '../../components/form-end.js';
import { toast, toastError } from '../../components/toasts.js';
import { projectsMessages as m } from './messages.js';
import { changeProject, type Project } from './project-calls.js';
import { ProjectNameField } from './project-name-field.js';

/** The name of a project. */
export const NameCard = ({ project }: { readonly project: Project }) => {
  const [edited, setEdited] = useState<string | null>(null);
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setIsBusy] = useState(false);
  const name = edited ?? project.name;
  const isChanged = name !== project.name;
  const save = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await changeProject(project.id, { name: name.trim() });
      setEdited(null);
      setProblems({});
      toast(m.saved);
    } catch (error) {
      const found = readProblems(error);
      setProblems(found ?? {});
      if (!found) toastError(error);
    }
    setIsBusy(false);
  };
  return (
    <Card
      title={m.settings}
      aside={
        <Link className="link" to="/time">
          {m.history}
        </Link>
      }
    >
      <form
        className="form-fields"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <ProjectNameField value={name} onChange={setEdited} problems={problems} />
        <FormEnd text={isChanged ? m.notSaved : ''}>
          {isChanged && <Button onClick={() => setEdited(null)}>{m.undo}</Button>}
          <Button type="submit" disabled={!isChanged} busy={isBusy}>
            {m.save}
          </Button>
        </FormEnd>
      </form>
    </Card>
  );
};
