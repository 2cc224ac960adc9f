import { useId, useState } from 'react';
import type { Api } from '../../api/management.js';
import { CodeSwitcher } from '../../components/code.js';
import { Segmented } from '../../components/controls.js';
import { Icon, networkTitle } from '../../components/icon.js';
import { Json } from '../../components/json.js';
import { format } from '../../i18n/format.js';
import type { PublishCode } from '../../publish-code/publish-code.js';
import { composeMessages as m } from './messages.js';
import type { NetworkWall } from './walls.js';

/** The calls that publishing would make to each network, and code that publishes the same post from a program. */
export const ExactRequests = ({
  walls,
  code,
  environment,
}: {
  readonly walls: readonly NetworkWall[];
  readonly code: PublishCode;
  /** Names of the environment variables that the code needs. */
  readonly environment: readonly string[];
}) => {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = walls.find(({ wall }) => wall.platform === chosen) ?? walls[0];
  const counts = walls.map(({ wall: { platform }, preview }) => ({
    value: platform,
    label: `${networkTitle(platform)} ${format.number(preview.requests.length)}`,
  }));
  return (
    <section className={`card compose-requests ${isOpen ? 'open' : ''}`} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
            {m.requests}
          </button>
        </h2>
        <div className="card-aside tertiary">
          {isOpen && shown ? (
            <Segmented label={m.requestsOf} value={shown.wall.platform} options={counts} onChange={setChosen} />
          ) : (
            <span className="cut">{counts.map(({ label }) => label).join(' · ')}</span>
          )}
        </div>
      </header>
      {isOpen && (
        <div className="card-body" id={id}>
          {shown && <Calls calls={shown.preview.requests} channels={shown.channels} />}
          <h3>{m.sameFromCode}</h3>
          <CodeSwitcher code={code} />
          <p className="tertiary">{m.codeEnvironment(format.list(environment))}</p>
        </div>
      )}
    </section>
  );
};

const Calls = ({
  calls,
  channels,
}: {
  readonly calls: NetworkWall['preview']['requests'];
  readonly channels: readonly Api<'Channel'>[];
}) => {
  const several = new Set(calls.map(({ target_id: targetId }) => targetId)).size > 1;
  return (
    <ol className="compose-calls">
      {calls.map(({ method, request, target_id: targetId }, index) => (
        <li key={index}>
          <div className="compose-call">
            <b className="mono">{method}</b>
            {several && <bdi className="cut tertiary">{channels.find((each) => each.id === targetId)?.name}</bdi>}
          </div>
          <Json value={request} />
        </li>
      ))}
    </ol>
  );
};
