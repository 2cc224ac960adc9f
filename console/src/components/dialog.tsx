import './dialog.css';
import * as Radix from '@radix-ui/react-dialog';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { defineMessages } from '../i18n/messages.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { toastError } from './toasts.js';

const m = defineMessages({
  en: { notNow: 'Not now', close: 'Close the dialog' },
  ru: { notNow: 'Не сейчас', close: 'Закрыть окно' },
});

/** Selects the controls that can receive focus when a dialog opens: all except the close button. */
const FIRST = 'input, select, textarea, button:not(.dialog-close), a[href], [tabindex="0"]';

/**
 * A modal dialog. Traps focus while it is open and restores focus when it closes. Escape, a click outside and the close
 * button close the dialog unless it `isLocked`.
 */
export const Dialog = ({
  title,
  description,
  isOpen,
  onClose,
  isLocked = false,
  hasCross = !isLocked,
  className = '',
  initialFocus,
  returnFocus,
  children,
}: {
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
}) => (
  <Radix.Root open={isOpen} onOpenChange={(open) => !open && !isLocked && onClose()}>
    <Radix.Portal>
      <Radix.Overlay className="dialog-ground" />
      <Radix.Content
        className={`dialog ${className}`}
        {...(description === undefined && { 'aria-describedby': undefined })}
        onOpenAutoFocus={(event) => {
          const first = initialFocus?.current ?? (event.currentTarget as HTMLElement).querySelector<HTMLElement>(FIRST);
          if (!first) return;
          event.preventDefault();
          first.focus();
        }}
        onCloseAutoFocus={(event) => {
          const next = returnFocus?.();
          if (!next) return;
          event.preventDefault();
          next.focus();
        }}
        onEscapeKeyDown={(event) => isLocked && event.preventDefault()}
        onPointerDownOutside={(event) => isLocked && event.preventDefault()}
      >
        {hasCross && <Cross />}
        <Radix.Title className="dialog-title">{title}</Radix.Title>
        {description !== undefined && <Radix.Description className="secondary">{description}</Radix.Description>}
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

/** The close button, which stays in its corner while the dialog scrolls. */
const Cross = () => (
  <div className="dialog-corner">
    <Radix.Close asChild>
      <button type="button" className="dialog-close" aria-label={m.close} title={m.close}>
        <Icon name="close" />
      </button>
    </Radix.Close>
  </div>
);

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
