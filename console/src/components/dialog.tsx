import './dialog.css';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { defineMessages } from '../i18n/messages.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { loadedLater } from './loaded-later.js';
import { toastError } from './toasts.js';

const m = defineMessages({
  en: { notNow: 'Not now' },
  ru: { notNow: 'Не сейчас' },
});

export interface DialogProps {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** True if neither Escape nor a click outside closes the dialog. */
  readonly isLocked?: boolean;
  /** False to hide the close button, because another button closes the dialog. */
  readonly hasCross?: boolean;
  readonly className?: string;
  readonly initialFocus?: { readonly current: HTMLElement | null };
  /** Returns the element to focus when the dialog closes; null for the element that had focus before it opened. */
  readonly returnFocus?: () => HTMLElement | null | undefined;
  readonly children: ReactNode;
}

/** The dialogs proper, whose scripts are as large as those of a screen. */
const dialogs = loadedLater(() => import('./radix-dialog.js'));

/** Loads the scripts of dialogs early, so that the first dialog opens at once. */
export const loadDialogsAhead = (): void => dialogs.loadAhead();

/**
 * A modal dialog. Traps focus while it is open and restores focus when it closes. Escape, a click outside and the close
 * button close the dialog unless it `isLocked`.
 */
export const Dialog = (props: DialogProps) => {
  const { isOpen } = props;
  const [isLoaded, setIsLoaded] = useState(dialogs.loaded !== undefined);
  useEffect(() => {
    if (isOpen && !isLoaded) dialogs.load(() => setIsLoaded(true));
  }, [isOpen, isLoaded]);
  return dialogs.loaded && isLoaded && <dialogs.loaded.RadixDialog {...props} />;
};

/** One consequence in a confirmation; false or undefined for one that does not apply. */
export type Consequence = { readonly icon: ReactNode; readonly text: ReactNode } | false | undefined;

/** Something that will happen. */
export const happens = (text: ReactNode): Consequence => ({ icon: <Icon name="chevronRight" tone="time" />, text });
/** Something that may go wrong. */
export const risk = (text: ReactNode): Consequence => ({ icon: <Icon name="onHold" tone="warn" />, text });
/** Something that will not change. */
export const stays = (text: ReactNode): Consequence => ({ icon: <Icon name="check" tone="ok" />, text });

/**
 * Asks for confirmation of an action that cannot be undone or has consequences elsewhere. The safe button has the
 * focus. If `run` succeeds, the dialog closes; if it fails, a message appears and the dialog stays open.
 */
export const Confirmation = ({
  title,
  consequences,
  verb,
  isDanger = false,
  isReady = true,
  fields,
  run,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  readonly consequences: readonly Consequence[];
  /** Label of the confirm button: a verb. */
  readonly verb: string;
  readonly isDanger?: boolean;
  /** False while fields are incomplete. */
  readonly isReady?: boolean;
  /** Fields that the consequences depend on, shown above them. */
  readonly fields?: ReactNode;
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
  /** Fields below the consequences. */
  readonly children?: ReactNode;
}) => {
  const safe = useRef<HTMLButtonElement>(null);
  const { mutate, isPending } = useMutation({
    mutationFn: run,
    onSuccess: onClose,
    onError: (error) => toastError(error),
  });
  return (
    <Dialog title={title} isOpen onClose={onClose} hasCross={false} initialFocus={safe}>
      {fields}
      <ul className="consequences">
        {consequences.map(
          (each, index) =>
            each && (
              <li key={index}>
                {each.icon}
                <span>{each.text}</span>
              </li>
            ),
        )}
      </ul>
      {children}
      <div className="dialog-actions">
        <Button ref={safe} onClick={onClose}>
          {m.notNow}
        </Button>
        <Button look={isDanger ? 'danger' : 'primary'} disabled={!isReady} busy={isPending} onClick={() => mutate()}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
};
