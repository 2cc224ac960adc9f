import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { TextField } from '../../components/controls.js';
import { SettingsForm, useSave } from '../../components/form.js';
import { toast } from '../../components/toasts.js';
import { projectsMessages as m } from './messages.js';
import { changeProject, type Project } from './project-calls.js';

/** The name of a project. */
export const NameCard = ({ project }: { readonly project: Project }) => {
  const [edited, setEdited] = useState<string | null>(null);
  const name = edited ?? project.name;
  const saving = useSave(async () => {
    await changeProject(project.id, { name: name.trim() });
    setEdited(null);
    toast(m.saved);
  });
  return (
    <SettingsForm
      title={m.settings}
      aside={
        <Link className="link" to="/time">
          {m.history}
        </Link>
      }
      saving={saving}
      isChanged={name !== project.name}
      onUndo={() => setEdited(null)}
    >
      <TextField
        label={m.name}
        hint={m.nameHint}
        missing={m.required}
        problem={saving.problems.name}
        value={name}
        onChange={setEdited}
      />
    </SettingsForm>
  );
};
