import './toasts.css';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { GatewayError } from '../api/management.js';
import { defineMessages } from '../i18n/messages.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { createStore } from './store.js';

const m = defineMessages({
  en: { close: 'Close', notChanged: 'Not changed:' },
  ru: { close: 'Закрыть', notChanged: 'Не изменено:' },
});

interface Toast {
  readonly id: number;
  readonly tone: 'ok' | 'fail';
  readonly text: ReactNode;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** How long a message stays, in ms, unless the pointer or the focus is on it. */
const SHOWN_MS = 6_000;

const store = createStore<readonly Toast[]>([]);
let lastId = 0;

const dismiss = (id: number): void => store.set(store.get().filter((toast) => toast.id !== id));

/** Shows a message that something was done. The result must also be visible elsewhere. */
export const toast = (text: ReactNode, action?: Toast['action']): void =>
  store.set([...store.get().slice(-2), { id: ++lastId, tone: 'ok', text, ...(action && { action }) }]);

/**
 * Shows a message that something failed.
 * @param words the reason; by default, the gateway's own message
 */
export const toastError = (error: unknown, words: string | null = null): void => {
  const text = words ?? (error instanceof GatewayError ? error.errors.join(' ') : String(error));
  store.set([...store.get().slice(-2), { id: ++lastId, tone: 'fail', text }]);
};

/** The messages at the edge of the screen. */
export const Toasts = () => {
  const toasts = useSyncExternalStore(store.subscribe, store.get);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((each) => (
        <ToastView key={each.id} toast={each} />
      ))}
    </div>
  );
};

const ToastView = ({ toast: { id, tone, text, action } }: { readonly toast: Toast }) => {
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  const hold = { onPointerEnter: () => setIsHeld(true), onPointerLeave: () => setIsHeld(false) };
  return (
    <div className="toast" {...hold} onFocus={() => setIsHeld(true)} onBlur={() => setIsHeld(false)}>
      <Icon name={tone === 'ok' ? 'published' : 'failed'} tone={tone} />
      <span>
        {tone === 'fail' && `${m.notChanged} `}
        {text}
      </span>
      {action && (
        <Button
          size="small"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button look="quiet" size="small" aria-label={m.close} onClick={() => dismiss(id)}>
        <Icon name="close" />
      </Button>
    </div>
  );
};
