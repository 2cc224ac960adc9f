import './form.css';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Problems, readProblems } from '../api/management.js';
import { defineMessages } from '../i18n/messages.js';
import { type Route, useMay } from '../session/rights.js';
import { Button } from './button.js';
import { Card } from './card.js';
import { toastError } from './toasts.js';

const m = defineMessages({
  en: { notSaved: 'Not saved yet.', undo: 'Undo', save: 'Save' },
  ru: { notSaved: 'Ещё не сохранено.', undo: 'Отменить', save: 'Сохранить' },
});

const NONE: Problems = {};

/**
 * Makes a change, one call at a time. Problems of fields are returned, for the form to show them there; any other failure
 * appears in a toast. What was typed stays in either case.
 */
export const useSave = (call: () => Promise<unknown>) => {
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: call,
    onError: (failure) => readProblems(failure) ?? toastError(failure),
  });
  return {
    save: (): void => {
      if (!isPending) mutate();
    },
    isBusy: isPending,
    problems: readProblems(error) ?? NONE,
    /** Forgets the problems. */
    clear: reset,
  };
};

interface FormProps {
  readonly onSubmit: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A form that is submitted without leaving the page. */
export const Form = ({ onSubmit, className, children }: FormProps) => (
  <form
    className={className}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
  </form>
);

/** The last line of a form: a note and the buttons. */
export const FormEnd = ({ text, children }: { readonly text?: ReactNode; readonly children: ReactNode }) => (
  <div className="form-end">
    <span className="tertiary">{text}</span>
    <div className="row">{children}</div>
  </div>
);

/** What a form shows but does not let a person change whose key may never call a route. */
export const Changeable = ({ needs, children }: { readonly needs: Route; readonly children: ReactNode }) => (
  <fieldset className="changeable" disabled={!useMay(needs)}>
    {children}
  </fieldset>
);

/** A card with settings that are saved together. A person whose key may not change them can read them. */
export const SettingsForm = ({
  title,
  aside,
  saving: { save, isBusy },
  isChanged,
  needs,
  onUndo,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly saving: Pick<ReturnType<typeof useSave>, 'save' | 'isBusy'>;
  readonly isChanged: boolean;
  /** The route that saves them. */
  readonly needs: Route;
  /** Puts back what is saved. */
  readonly onUndo: () => void;
  readonly children: ReactNode;
}) => (
  <Card title={title} aside={aside}>
    <Form className="form-fields" onSubmit={save}>
      <Changeable needs={needs}>{children}</Changeable>
      {useMay(needs) && (
        <FormEnd text={isChanged ? m.notSaved : ''}>
          {isChanged && <Button onClick={onUndo}>{m.undo}</Button>}
          <Button type="submit" disabled={!isChanged} busy={isBusy}>
            {m.save}
          </Button>
        </FormEnd>
      )}
    </Form>
  </Card>
);
