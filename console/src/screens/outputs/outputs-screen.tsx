import './outputs.css';
import { Link } from '@tanstack/react-router';
import { useNames } from '../../api/things.js';
import { ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, Loaded } from '../../components/states.js';
import { DataTable } from '../../components/table.js';
import { hostOf, type Output, OutputState, useOutputs } from './data.js';
import { outputsMessages as m } from './messages.js';

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
  const projectOf = ({ project_id: id }: Output): string => names.project(id)?.name ?? '…';
  return (
    <DataTable
      className="stacked"
      items={outputs}
      keyOf={({ id }) => id}
      columns={[
        {
          title: m.url,
          sortBy: hostOf,
          cell: (output) => (
            <Link className="table-name" to="/outputs/$id" params={{ id: output.id }} title={output.url}>
              <bdi className="cut">{hostOf(output)}</bdi>
            </Link>
          ),
        },
        {
          title: m.state,
          sortBy: ({ is_active: isActive }) => Number(isActive),
          cell: (output) => <OutputState output={output} />,
        },
        {
          title: m.project,
          className: 'secondary',
          sortBy: projectOf,
          cell: (output) => <bdi>{projectOf(output)}</bdi>,
        },
        { title: m.tells, className: 'secondary mono output-kinds', cell: ({ kinds }) => kinds.join(', ') },
      ]}
    />
  );
};
