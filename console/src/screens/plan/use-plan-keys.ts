import { useEffect } from 'react';

/** Returns the calendar's post card that contains an element; null if there is none. */
const cardOf = (element: Element | null): HTMLElement | null => element?.closest<HTMLElement>('.plan-card') ?? null;

/** Returns the post cards sorted by time. In the week view, document order is by hour, across all days. */
const listCards = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>('.plan-card')].sort((a, b) => Number(a.dataset.at) - Number(b.dataset.at));

/** Returns the link in a post's card; null if the post is not shown. Moving a post gives it a new element. */
export const findCard = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`.plan-card[data-post="${CSS.escape(id)}"] .plan-card-link`);

/** Handles the calendar's keys: `j` and `k` go to the next and the previous post, `m` moves the post. */
export const usePlanKeys = (): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.metaKey || event.ctrlKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      if (document.querySelector('[role="dialog"]')) return;
      const card = cardOf(target);
      if (event.key === 'm') {
        const button = card?.querySelector<HTMLElement>('.plan-move');
        if (button) event.preventDefault();
        button?.click();
      }
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined) return;
      const cards = listCards();
      const next = card ? cards.indexOf(card) + step : step > 0 ? 0 : cards.length - 1;
      cards[Math.min(cards.length - 1, Math.max(0, next))]?.querySelector<HTMLElement>('.plan-card-link')?.focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
};
