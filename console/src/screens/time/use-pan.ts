import { type PointerEvent, useRef } from 'react';
import type { SliderProps } from './moment-slider.js';

/** How far a touch must move to count as a drag rather than a tap, in pixels. */
const TAP_PX = 6;
/** Width of the name column next to the lanes, in pixels. Must match time.css. */
const NAMES_PX = 76;

/** Returns pointer handlers that slide the history under the centred handle; none if the handle itself moves. */
export const usePan = ({ isCentred, window, at, onPan }: SliderProps) => {
  const start = useRef<{ readonly x: number; readonly at: number; isPanning: boolean } | null>(null);
  if (!isCentred) return {};
  const end = (): void => {
    start.current = null;
  };
  return {
    onPointerDown: ({ clientX, isPrimary }: PointerEvent) => {
      if (isPrimary) start.current = { x: clientX, at, isPanning: false };
    },
    onPointerMove: ({ clientX, pointerId, currentTarget }: PointerEvent<HTMLElement>) => {
      const begun = start.current;
      if (!begun) return;
      const moved = clientX - begun.x;
      if (!begun.isPanning && Math.abs(moved) < TAP_PX) return;
      if (!begun.isPanning) currentTarget.setPointerCapture(pointerId);
      begun.isPanning = true;
      const lanes = currentTarget.clientWidth - NAMES_PX;
      onPan(begun.at - (moved / lanes) * (window.to - window.from));
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
};
