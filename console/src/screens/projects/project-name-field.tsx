import { type Problems, problemText } from '../../api/problems.js';
import { Field, TextInput } from '../../components/controls.js';
import { projectsMessages as m } from './messages.js';

/** A field for a project's name. */
export const ProjectNameField = ({
  value,
  onChange,
  problems,
}: {
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly problems: Problems;
}) => {
  const problem = problems.name;
  const isEmpty = problem?.code === 'empty' || problem?.code === 'missing';
  return (
    <Field label={m.name} hint={m.nameHint} {...(problem && { error: isEmpty ? m.required : problemText(problem) })}>
      {(ids) => <TextInput {...ids} value={value} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
};
