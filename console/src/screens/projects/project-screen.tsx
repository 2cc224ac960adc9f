import './projects.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { Loaded } from '../../components/states.js';
import { PauseDialog } from '../../pauses/pause-dialog.js';
import { ResumeDialog } from '../../pauses/resume-dialog.js';
import { ChannelsCard } from './channels-card.js';
import { DeleteCard } from './delete-card.js';
import { projectsMessages as m } from './messages.js';
import { NameCard } from './name-card.js';
import { ProcessingCard } from './processing/processing-card.js';
import type { Project } from './project-calls.js';
import { ProjectHead } from './project-head.js';

/** One project: its channels, and its processing settings with a before-and-after preview. */
export const ProjectScreen = () => {
  const { id } = useParams({ from: '/projects/$id' });
  const project = useQuery({
    queryKey: ['project', id],
    queryFn: () => management().get('/projects/{id}', { path: { id } }),
  });
  return (
    <Loaded query={project} rows={8}>
      {(data) => <ProjectPage key={id} project={data} />}
    </Loaded>
  );
};

const ProjectPage = ({ project }: { readonly project: Project }) => {
  const [asked, setAsked] = useState<'pause' | 'resume' | null>(null);
  const thing = { ...project, kind: 'project' as const };
  const close = (): void => setAsked(null);
  return (
    <>
      <nav className="trail">
        <Link className="link" to="/projects">
          {m.projects}
        </Link>
        / <bdi className="cut">{project.name}</bdi>
      </nav>
      <ProjectHead project={project} onPause={() => setAsked('pause')} onResume={() => setAsked('resume')} />
      <div className="project-page">
        <ChannelsCard project={project} />
        <ProcessingCard project={project} />
        <div className="project-ends">
          <NameCard project={project} />
          <DeleteCard project={project} />
        </div>
      </div>
      {asked === 'pause' && <PauseDialog thing={thing} onClose={close} />}
      {asked === 'resume' && <ResumeDialog thing={thing} onClose={close} />}
    </>
  );
};
