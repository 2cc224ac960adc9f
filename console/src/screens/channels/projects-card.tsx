import { Link } from '@tanstack/react-router';
import { useProjects } from '../../api/things.js';
import { Card } from '../../components/card.js';
import { Icon } from '../../components/icon.js';
import { useMessages } from '../../i18n/messages.js';
import { channelMessages } from './channel-messages.js';

/** The projects through which posts reach a channel. */
export const ProjectsCard = ({ channelId }: { readonly channelId: string }) => {
  const m = useMessages(channelMessages);
  const projects = useProjects().data?.filter(({ channel_ids: ids }) => ids.includes(channelId));
  if (!projects) return null;
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
        <p className="card-body secondary">
          {m.noProject}{' '}
          <Link className="link" to="/projects">
            {m.chooseProject}
          </Link>
        </p>
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
