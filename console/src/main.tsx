import './styles/tokens.css';
import './styles/base.css';
import './app/theme.js';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { options } from 'preact';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/management.js';
import { watchRelease } from './api/release.js';
import { router } from './app/routes.js';
import { startLiveUpdates } from './live/live-updates.js';
import { watchSession } from './session/session-end.js';
import { signInAtStart } from './session/sign-in.js';

// Preact runs effects after the next frame. A key pressed before that would change the old text. React runs the effects of
// an event before the next event.
options.requestAnimationFrame = queueMicrotask;

// Dialogs add a style element to lock page scrolling. The content security policy only allows it with this nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
if (nonce !== undefined) setNonce(nonce);

/** When the scripts of dialogs are loaded, in ms after the start. */
const DIALOGS_AFTER_MS = 2_000;

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element with the id "root".');

await signInAtStart();
watchSession();
watchRelease();
startLiveUpdates();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
setTimeout(() => {
  void import('./components/dialog.js').then(({ loadDialogsAhead }) => loadDialogsAhead()).catch(() => undefined);
}, DIALOGS_AFTER_MS);
