import { Pill } from '../../components/state-pill.js';
import type { Endpoint } from './data.js';
import { endpointsMessages as m } from './messages.js';

/** Shows whether an endpoint accepts posts, and if not, why. */
export const EndpointState = ({ endpoint: { disabled_by: by, mode } }: { readonly endpoint: Endpoint }) => {
  if (by !== null)
    return (
      <Pill icon="switchedOff" tone={by === 'owner' ? 'idle' : 'warn'}>
        {m.off[by]}
      </Pill>
    );
  return mode === 'live' ? (
    <Pill icon="published" tone="ok">
      {m.on}
    </Pill>
  ) : (
    <Pill icon="check" tone="idle">
      {m.test}
    </Pill>
  );
};
