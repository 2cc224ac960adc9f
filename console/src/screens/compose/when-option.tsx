import { Segmented } from '../../components/controls.js';
import { suggestTime } from '../../planning/choose-time.js';
import { TimeFields } from '../../planning/time-fields.js';
import { browserZone } from '../../time/local-time.js';
import { serverNow } from '../../time/server-clock.js';
import type { Draft } from './draft.js';
import { composeMessages as m } from './messages.js';

/** Chooses whether to publish the post now or at a given time. */
export const WhenOption = ({
  draft,
  update,
}: {
  readonly draft: Draft;
  readonly update: (change: Partial<Draft>) => void;
}) => {
  const choose = (which: 'now' | 'later'): void => {
    if ((which === 'later') === (draft.when !== null)) return;
    update({ when: which === 'now' ? null : suggestTime(serverNow(), browserZone()) });
  };
  return (
    <>
      <Segmented
        label={m.when}
        value={draft.when === null ? 'now' : 'later'}
        options={[
          { value: 'now', label: m.now },
          { value: 'later', label: m.later },
        ]}
        onChange={choose}
      />
      {draft.when !== null && <TimeFields value={draft.when} onChange={(when) => update({ when })} />}
    </>
  );
};
