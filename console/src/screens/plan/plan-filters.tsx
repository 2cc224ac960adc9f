import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useProjects } from '../../api/things.js';
import type { PlanSearch } from '../../app/search.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.js';
import { NetworkFilter } from '../../components/network-filter.js';
import { planMessages as m } from './messages.js';

const route = getRouteApi('/plan');

/** Chooses the set and the network whose posts the calendar shows, as in the URL. */
export const PlanFilters = () => {
  const { project, platform } = route.useSearch();
  const navigate = useNavigate();
  const projects = useProjects().data ?? [];
  const chosen = projects.find(({ id }) => id === project);
  const change = (members: { readonly [Name in 'project' | 'platform']?: string | undefined }) =>
    void navigate({ to: '/plan', search: (old: PlanSearch) => ({ ...old, ...members }) });
  return (
    <div className="plan-filters" role="group" aria-label={m.filters}>
      <NetworkFilter platform={platform} onChange={(next) => change({ platform: next })} />
      {projects.length > 1 && (
        <Menu
          align="start"
          trigger={
            <button type="button" className="chip" data-on={chosen !== undefined}>
              <bdi className="cut">{chosen?.name ?? m.allSets}</bdi>
              <Icon name="chevronDown" size={12} />
            </button>
          }
        >
          <MenuItem isChecked={project === undefined} onSelect={() => change({ project: undefined })}>
            {m.allSets}
          </MenuItem>
          <MenuSeparator />
          {projects.map(({ id, name }) => (
            <MenuItem key={id} isChecked={id === project} onSelect={() => change({ project: id })}>
              <bdi className="cut">{name}</bdi>
            </MenuItem>
          ))}
        </Menu>
      )}
    </div>
  );
};
