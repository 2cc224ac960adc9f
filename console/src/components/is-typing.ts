/** Returns whether keys pressed on an element write or choose in it, so that they are no commands of the screen. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="range"]), textarea, select'));
