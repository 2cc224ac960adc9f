import * as Radix from '@radix-ui/react-dialog';
import { defineMessages } from '../i18n/messages.js';
import type { DialogProps } from './dialog.js';
import { Icon } from './icon.js';

const m = defineMessages({
  en: { close: 'Close the dialog' },
  ru: { close: 'Закрыть окно' },
});

/** Selects the controls that can receive focus when a dialog opens: all except the close button. */
const FIRST = 'input, select, textarea, button:not(.dialog-close), a[href], [tabindex="0"]';

/** See {@link Dialog}. */
export const RadixDialog = ({
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
}: DialogProps) => (
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
