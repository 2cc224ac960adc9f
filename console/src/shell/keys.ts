import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { NAVIGATION, OPERATOR_NAVIGATION } from '../app/navigation.js';
import { isTyping } from '../components/is-typing.js';
import { may, routeOfScreen } from '../session/rights.js';
import { getSession } from '../session/session.js';

/** A dialog that the shell shows over the screen. */
export type Overlay = 'palette' | 'keys' | null;

/** Maximum time between the two keys of a sequence such as `g` `o`, in ms. */
const SEQUENCE_MS = 1200;

/**
 * Handles the keys that work on every screen: ⌘K, Ctrl+K or / for the palette, g and a letter for a screen, n to
 * compose, ? for the list of keys.
 */
export const useKeys = (setOverlay: (overlay: Overlay) => void): void => {
  const router = useRouter();
  useEffect(() => {
    let goUntil = 0;
    const open = (to: string): void => {
      if (may(getSession(), routeOfScreen(to))) void router.navigate({ to });
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return setOverlay('palette');
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]')) return;
      if (event.timeStamp < goUntil) {
        goUntil = 0;
        const item = [...NAVIGATION.flat(), ...OPERATOR_NAVIGATION].find(({ key }) => key === event.key);
        if (!item) return;
        event.preventDefault();
        return open(item.to);
      }
      if (event.key === 'g') goUntil = event.timeStamp + SEQUENCE_MS; // of the press: a busy page handles it later
      if (event.key === '/') {
        event.preventDefault();
        setOverlay('palette');
      }
      if (event.key === '?') setOverlay('keys');
      if (event.key === 'n') open('/compose');
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [router, setOverlay]);
};
