import '../../components/table.css';
import './outputs.css';
import { Link } from '@tanstack/react-router';
import { useNames } from '../../api/things.js';
import { ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, Loaded } from '../../components/states.js';
import { outputsMessages as m } from './messages.js';
import { hostOf, type Output, OutputState, useOutputs } from './data.js';

/** All webhooks, and which of them are active. */
export const OutputsScreen = () => {
  const outputs = useOutputs();
  const all = outputs.data ?? [];
  const off = all.filter(({ is_active: isActive }) => !isActive).length;
  const title = all.length === 0 ? m.none : off > 0 ? m.someOff(all.length - off, off) : m.all(all.length);
  const create = (
    <ButtonLink look="primary" icon="plus" to="/outputs/new">
      {m.create}
    </ButtonLink>
  );
  return (
    <>
      <PageHead title={outputs.data ? title : '…'} {...(all.length > 0 && { actions: create })} />
      <Card label={m.webhooks}>
        <Loaded query={outputs}>
          {() =>
            all.length === 0 ? (
              <Empty icon="webhook" title={m.noneTitle} action={create}>
                {m.noneText}
              </Empty>
            ) : (
              <OutputTable outputs={all} />
            )
          }
        </Loaded>
      </Card>
    </>
  );
};

const OutputTable = ({ outputs }: { readonly outputs: readonly Output[] }) => {
  const names = useNames();
  return (
    <div className="table-scroll">
      <table className="table stacked">
        <thead>
          <tr>
            <th>{m.url}</th>
            <th>{m.state}</th>
            <th>{m.project}</th>
            <th>{m.tells}</th>
          </tr>
        </thead>
        <tbody>
          {outputs.map((output) => (
            <tr key={output.id} className="selectable">
              <td>
                <Link className="output-host" to="/outputs/$id" params={{ id: output.id }} title={output.url}>
                  <bdi className="cut">{hostOf(output)}</bdi>
                </Link>
              </td>
              <td>
                <OutputState output={output} />
              </td>
              <td className="secondary">
                <bdi>{names.project(output.project_id)?.name ?? '…'}</bdi>
              </td>
              <td className="secondary mono output-kinds">{output.kinds.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
