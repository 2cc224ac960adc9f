import { Button } from '../../components/button.js';
import { format } from '../../i18n/format.js';
import { timeMessages as m } from './messages.js';
import type { SliderProps } from './moment-slider.js';

/** Explains the chart's colours and the slider's keyboard shortcuts. */
export const ChartLegend = ({ slider: { at, from, onFrom } }: { readonly slider: SliderProps }) => (
  <div className="chart-legend">
    <span>
      <svg className="legend-sample" aria-hidden="true">
        <rect x="0.5" y="0.5" width="15" height="9" rx="2" className="span-pause" />
      </svg>
      {m.paused}
    </span>
    <span>
      <svg className="legend-sample" aria-hidden="true">
        <rect x="0.5" y="0.5" width="15" height="9" rx="2" className="span-stop" />
      </svg>
      {m.held}
    </span>
    {from !== null && (
      <span>
        <svg className="legend-sample" aria-hidden="true">
          <rect width="16" height="10" rx="2" className="legend-compared" />
        </svg>
        {m.compared(format.time(from), format.seconds(at))}
      </span>
    )}
    <span className="legend-keys">
      <span className="legend-key">
        <kbd>←</kbd> <kbd>→</kbd> {m.keysEvents}
      </span>
      <span className="legend-key">
        <kbd>⇧</kbd> <kbd>←</kbd> {m.keysPeople}
      </span>
      <Button size="small" look="quiet" onClick={() => onFrom(from === null ? at : null)}>
        <kbd>C</kbd> {from === null ? m.compare : m.stopComparing}
      </Button>
    </span>
  </div>
);
