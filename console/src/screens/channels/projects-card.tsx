import { Link } from '@tanstack/react-router';
import { type Api, management } from '../../api/management.js';
import { queryClient } from '../../api/query-client.js';
import { useProjects } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Icon } from '../../components/icon.js';
import { toast } from '../../components/toasts.js';
import { channelMessages as m } from './channel-messages.js';
import { useSave } from '../../components/form.js';

/** Maximum number of projects that are offered as buttons. */
const OFFERED = 3;

/** The projects through which posts reach a channel. */
export const ProjectsCard = ({ channelId }: { readonly channelId: string }) => {
  const all = useProjects().data;
  if (!all) return null;
  const projects = all.filter(({ channel_ids: ids }) => ids.includes(channelId));
  return (
    <Card
      title={m.projects}
      aside={
        projects.length > 0 && (
          <Link className="link" to="/projects">
            {m.allProjects}
          </Link>
        )
      }
    >
      {projects.length === 0 ? (
        <div className="card-body channel-no-project">
          <p className="secondary">{m.noProject}</p>
          {all.slice(0, OFFERED).map((project) => (
            <AddButton key={project.id} project={project} channelId={channelId} />
          ))}
          {all.length > OFFERED && (
            <Link className="link" to="/projects">
              {m.otherProject}
            </Link>
          )}
          {all.length === 0 && (
            <Link className="link" to="/projects/new">
              {m.newProject}
            </Link>
          )}
        </div>
      ) : (
        <ul className="channel-projects">
          {projects.map(({ id, name, paused_until: until }) => (
            <li key={id}>
              <Icon name="project" size={14} />
              <Link className="link cut" to="/projects/$id" params={{ id }}>
                <bdi>{name}</bdi>
              </Link>
              {until !== null && <span className="tertiary">{m.projectPaused}</span>}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};

const AddButton = ({ project, channelId }: { readonly project: Api<'Project'>; readonly channelId: string }) => {
  const { id, name, channel_ids: channels } = project;
  const { save: add, isBusy } = useSave(async () => {
    await management().patch('/projects/{id}', { path: { id }, body: { channel_ids: [...channels, channelId] } });
    await queryClient.invalidateQueries();
    toast(m.addedTo(name));
  });
  return (
    <Button icon="plus" busy={isBusy} onClick={add}>
      {m.addTo(name)}
    </Button>
  );
};
