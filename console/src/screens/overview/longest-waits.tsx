import './operator.css';
import '../../components/table.css';
import { Link } from '@tanstack/react-router';
import type { LongestWait } from '../../api/overview.js';
import { Card } from '../../components/card.js';
import { NetworkMark } from '../../components/icon.js';
import { Empty } from '../../components/states.js';
import { Age } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { setSession, useSession } from '../../session/session.js';
import { operatorMessages as m } from './operator-messages.js';

/** The owners whose publications have waited longest. Clicking an owner switches the console to that owner. */
export const LongestWaits = ({ longest }: { readonly longest: readonly LongestWait[] }) => {
  const session = useSession();
  return (
    <Card title={m.longest} aside={<Link to="/owners">{m.allOwners}</Link>}>
      {longest.length === 0 ? (
        <Empty icon="published" title={m.empty} />
      ) : (
        <table className="table longest">
          <thead>
            <tr>
              <th scope="col">{m.owner}</th>
              <th scope="col">{m.because}</th>
              <th scope="col" className="number">
                {m.posts}
              </th>
              <th scope="col" className="number">
                {m.oldest}
              </th>
            </tr>
          </thead>
          <tbody>
            {longest.map(({ owner_id: id, owner_name: name, rule, platform, posts, oldest_at: oldestAt }) => (
              <tr key={id} className="selectable">
                <td>
                  <button
                    type="button"
                    className="cut"
                    aria-label={m.show(name)}
                    onClick={() => session && setSession({ ...session, owner: { id, name } })}
                  >
                    <bdi>{name}</bdi>
                  </button>
                </td>
                <td className="secondary">
                  <span className="row">
                    <NetworkMark platform={platform} size={16} />
                    <span className="cut">{m.rule[rule ?? 'none']}</span>
                  </span>
                </td>
                <td className="number">{format.number(posts)}</td>
                <td className="number">
                  <Age since={oldestAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
};
