import { useState } from 'react';
import { management } from '../../api/management.js';
import { BulkDialog } from '../../bulk/bulk-dialog.js';
import { bulkMessages as m } from '../../bulk/bulk-messages.js';
import { type Channel, channelState } from '../../channels/channel-state.js';
import { TextField } from '../../components/controls.js';
import { NetworkMark } from '../../components/icon.js';
import { MAX_PAUSE_MINUTES, refreshPauses } from '../../pauses/pause-calls.js';

interface BulkPauseProps {
  readonly channels: readonly Channel[];
  readonly onClose: () => void;
}

/** Pauses several channels of the list with one confirmation. */
export const BulkPause = ({ channels, onClose }: BulkPauseProps) => {
  const [typed, setTyped] = useState('60');
  const minutes = /^\d{1,4}$/.test(typed.trim()) ? Number(typed) : 0;
  const isValid = minutes >= 1 && minutes <= MAX_PAUSE_MINUTES;
  const items = channels
    .filter((channel) => channelState(channel) !== 'disabled')
    .map(({ id, platform, name }) => ({
      id,
      name: (
        <span className="row">
          <NetworkMark platform={platform} size={16} />
          <bdi>{name}</bdi>
        </span>
      ),
    }));
  return (
    <BulkDialog
      title={m.pauseTitle}
      label={m.channels}
      items={items}
      fields={
        <div className="dialog-form">
          <TextField
            label={m.minutes}
            hint={m.minutesHint}
            error={!isValid && m.badMinutes}
            inputMode="numeric"
            value={typed}
            onChange={setTyped}
          />
        </div>
      }
      consequence={m.pauses}
      verb={m.pauseCount}
      isReady={isValid}
      work={({ id }) => management().post('/channels/{id}/pause', { path: { id }, body: { minutes } })}
      onEnd={refreshPauses}
      onClose={onClose}
    />
  );
};
