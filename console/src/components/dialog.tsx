import './dialog.css';
import * as Radix from '@radix-ui/react-dialog';
import { type ReactNode, useRef, useState } from 'react';
import { defineMessages, useMessages } from '../i18n/messages.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { toastError } from './toasts.js';

const messages = defineMessages({ en: { notNow: 'Not now' }, ru: { notNow: 'Не сейчас' } });

/** A dialog over the screen. It holds the focus and gives it back; Escape closes it unless `isLocked`. */
export const Dialog = ({
  title,
  description,
  isOpen,
  onClose,
  isLocked = false,
  className = '',
  initialFocus,
  children,
}: {
  readonly title: ReactNode;
  readonly description?: ReactNode;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** True: neither Escape nor a click outside closes it. */
  readonly isLocked?: boolean;
  readonly className?: string;
  readonly initialFocus?: { readonly current: HTMLElement | null };
  readonly children: ReactNode;
}) => (
  <Radix.Root open={isOpen} onOpenChange={(open) => !open && !isLocked && onClose()}>
    <Radix.Portal>
      <Radix.Overlay className="dialog-ground" />
      <Radix.Content
        className={`dialog ${className}`}
        {...(description === undefined && { 'aria-describedby': undefined })}
        onOpenAutoFocus={(event) => {
          if (!initialFocus?.current) return;
          event.preventDefault();
          initialFocus.current.focus();
        }}
        onEscapeKeyDown={(event) => isLocked && event.preventDefault()}
        onPointerDownOutside={(event) => isLocked && event.preventDefault()}
      >
        <Radix.Title className="dialog-title">{title}</Radix.Title>
        {description !== undefined && <Radix.Description className="secondary">{description}</Radix.Description>}
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

/** One consequence in a confirmation: what will happen, what may go wrong, or what stays as it is. */
export interface Consequence {
  readonly kind: 'happens' | 'risk' | 'stays';
  readonly text: ReactNode;
}

const CONSEQUENCE_ICONS = {
  happens: { name: 'chevronRight', tone: 'time' },
  risk: { name: 'onHold', tone: 'warn' },
  stays: { name: 'check', tone: 'ok' },
} as const;

/**
 * Asks before something that cannot be taken back or that has consequences elsewhere. The focus is on the safe button. The
 * dialog closes when `run` has ended well; a failure is shown as a message, and the dialog stays.
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
  /** Text of the button that does it: a verb. */
  readonly verb: string;
  readonly isDanger?: boolean;
  /** False while the fields lack something. */
  readonly isReady?: boolean;
  /** Fields above the consequences, on which they depend. */
  readonly fields?: ReactNode;
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
  /** Fields below the consequences. */
  readonly children?: ReactNode;
}) => {
  const m = useMessages(messages);
  const safe = useRef<HTMLButtonElement>(null);
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await run();
      onClose();
    } catch (error) {
      toastError(error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={title} isOpen onClose={onClose} initialFocus={safe}>
      {fields}
      <ul className="consequences">
        {consequences.map(({ kind, text }, index) => (
          <li key={index}>
            <Icon {...CONSEQUENCE_ICONS[kind]} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {children}
      <div className="dialog-actions">
        <Button ref={safe} onClick={onClose}>
          {m.notNow}
        </Button>
        <Button look={isDanger ? 'danger' : 'primary'} disabled={!isReady} busy={isBusy} onClick={() => void confirm()}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
};
