import { NetworkMark, NETWORKS, networkTitle } from '../components/icon.js';
import { channelFormMessages as m } from './messages.js';
import type { Network } from './networks.js';

/**
 * A field for choosing a channel's network. `isFixed` disables it, because an existing channel's network cannot change.
 */
export const NetworkChoice = ({
  value,
  onChange,
  isFixed,
}: {
  readonly value: Network;
  readonly onChange: (network: Network) => void;
  readonly isFixed: boolean;
}) => (
  <fieldset className="network-choice" disabled={isFixed}>
    <legend className="visually-hidden">{m.network}</legend>
    {NETWORKS.map((network) => (
      <label key={network}>
        <input
          type="radio"
          name="network"
          value={network}
          checked={network === value}
          onChange={() => onChange(network)}
        />
        <NetworkMark platform={network} size={22} label={false} />
        <span className="cut">{networkTitle(network)}</span>
      </label>
    ))}
  </fieldset>
);
