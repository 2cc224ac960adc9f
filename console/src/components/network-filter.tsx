import './network-filter.css';
import { defineMessages } from '../i18n/messages.js';
import { NetworkMark, NETWORKS, networkTitle } from './icon.js';

const m = defineMessages({ en: { network: 'Network' }, ru: { network: 'Сеть' } });

interface NetworkFilterProps {
  /** The chosen network; undefined for all. */
  readonly platform: string | undefined;
  readonly onChange: (platform: string | undefined) => void;
}

/** Buttons with the networks' logos, to filter by one of them. */
export const NetworkFilter = ({ platform, onChange }: NetworkFilterProps) => (
  <div className="chip network-filter" role="group" aria-label={m.network}>
    {NETWORKS.map((network) => (
      <button
        key={network}
        type="button"
        aria-pressed={network === platform}
        title={networkTitle(network)}
        onClick={() => onChange(network === platform ? undefined : network)}
      >
        <NetworkMark platform={network} />
      </button>
    ))}
  </div>
);
