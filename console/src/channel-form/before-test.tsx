import { Card } from '../components/card.js';
import { Icon } from '../components/icon.js';
import { credentialMessages as m } from './credential-messages.js';
import type { Network } from './networks.js';

/** Lists the prerequisites for connecting a channel on a network, and explains the test. */
export const BeforeTest = ({ network }: { readonly network: Network }) => (
  <Card title={m.beforeTitle}>
    <ul className="needs">
      {(m.before[network] ?? []).map((text) => (
        <li key={text}>
          <Icon name="chevronRight" size={14} tone="time" />
          <span>{text}</span>
        </li>
      ))}
    </ul>
    <p className="card-end tertiary">
      <Icon name="shield" />
      <span>{m.testExplained}</span>
    </p>
  </Card>
);
