import { Pill } from '../../components/state-pill.js';
import type { Output } from './data.js';
import { outputsMessages as m } from './messages.js';

/** Shows whether a webhook receives deliveries, and if not, why. */
export const OutputState = ({ output: { disabled_by: by } }: { readonly output: Output }) => {
  if (by === null)
    return (
      <Pill icon="published" tone="ok">
        {m.on}
      </Pill>
    );
  return (
    <Pill icon="switchedOff" tone={by === 'owner' ? 'idle' : 'warn'}>
      {m.off[by]}
    </Pill>
  );
};
