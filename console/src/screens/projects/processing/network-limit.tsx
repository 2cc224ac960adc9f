import { Chip } from '../../../components/controls.js';
import { NetworkMark, NETWORKS, networkTitle } from '../../../components/icon.js';
import { processingMessages as m } from './messages.js';

/** A field that limits a processing step to some networks; it applies to all networks if none is selected. */
export const NetworkLimit = ({
  value,
  onChange,
  error,
}: {
  readonly value: readonly string[];
  readonly onChange: (platforms: readonly string[]) => void;
  readonly error?: string | undefined;
}) => (
  <div className="network-limit" role="group" aria-label={m.networks}>
    <Chip isOn={value.length === 0} onClick={() => onChange([])}>
      {m.allNetworks}
    </Chip>
    {NETWORKS.map((network) => {
      const isOn = value.includes(network);
      return (
        <Chip
          key={network}
          isOn={isOn}
          onClick={() => onChange(isOn ? value.filter((each) => each !== network) : [...value, network])}
        >
          <NetworkMark platform={network} size={14} label={false} />
          {networkTitle(network)}
        </Chip>
      );
    })}
    {error !== undefined && (
      <p className="tone-fail" role="alert">
        {error}
      </p>
    )}
  </div>
);
