import './projects.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { management } from '../../api/management.js';
import { endpointName, useChannels, useEndpoints } from '../../api/things.js';
import { channelState } from '../../channels/channel-state.js';
import { Button } from '../../components/button.js';
import { Card, Columns, PageHead, Stack } from '../../components/card.js';
import { TextField } from '../../components/controls.js';
import { Confirmation, type Consequence, happens, risk, stays } from '../../components/dialog.js';
import { SettingsForm, useSave } from '../../components/form.js';
import { SentenceText } from '../../components/sentence.js';
import { Loaded } from '../../components/states.js';
import { Countdown } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { HistoryLink } from '../../history/history-link.js';
import { format, sentence } from '../../i18n/format.js';
import { PauseDialog, ResumeDialog } from '../../pauses/pause-dialog.js';
import { PausedBy } from '../../pauses/paused-by.js';
import { useMay } from '../../session/rights.js';
import { useScope } from '../../session/session.js';
import { ChannelsCard } from './channels-card.js';
import { projectsMessages as m } from './messages.js';
import { ProcessingCard } from './processing/processing-card.js';
import { changeProject, deleteProject, forgetProject, type Project } from './project-calls.js';

/** Deletes a project. */
export const DeleteCard = ({ project }: { readonly project: Project }) => {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Card title={m.deleteNow}>
      <p className="project-delete secondary">
        <span>{m.deleteText}</span>
        <Button size="small" look="danger" onClick={() => setIsAsked(true)}>
          {m.delete}
        </Button>
      </p>
      {isAsked && <DeleteDialog project={project} onClose={() => setIsAsked(false)} />}
    </Card>
  );
};

/**
 * Returns how many of a project's publications are waiting, as text and as a number. A `+` in the text means that there
 * are more.
 */
const useWaiting = (projectId: string): { readonly text: string; readonly count: number } => {
  const scope = useScope();
  const queued = useQuery({
    queryKey: ['posts', scope.key, 'queued-of-project', projectId],
    queryFn: () => management().get('/posts', { query: { project_id: projectId, state: 'queued', limit: 200 } }),
  }).data;
  const count = (queued?.items ?? [])
    .flatMap(({ publications }) => publications)
    .filter(({ project_id: project, state }) => project === projectId && state === 'queued').length;
  return { count, text: `${format.number(count)}${queued && queued.next !== null ? '+' : ''}` };
};

interface DeleteDialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

const DeleteDialog = ({ project: { id, name }, onClose }: DeleteDialogProps) => {
  const navigate = useNavigate();
  const waiting = useWaiting(id);
  const endpoints = useEndpoints().data?.filter(({ project_ids: ids }) => ids.includes(id)) ?? [];
  const names = format.list(endpoints.map((endpoint) => `“${endpointName(endpoint)}”`));
  const consequences: readonly Consequence[] = [
    endpoints.length > 0 && happens(m.takenOut(names, endpoints.length)),
    waiting.count > 0 && happens(m.cancelled(waiting.text, waiting.text === '1')),
    happens(m.webhooksGone),
    risk(m.noUndo),
    stays(m.channelsStay),
  ];
  return (
    <Confirmation
      title={<SentenceText of={sentence(m.deleteTitle, { name: { name } })} />}
      verb={m.deleteNow}
      isDanger
      consequences={consequences}
      run={async () => {
        await deleteProject(id, endpoints.length > 0);
        toast(m.deleted(name));
        await navigate({ to: '/projects' });
        await forgetProject(id);
      }}
      onClose={onClose}
    />
  );
};

/** The name of a project. */
export const NameCard = ({ project }: { readonly project: Project }) => {
  const [edited, setEdited] = useState<string | null>(null);
  const name = edited ?? project.name;
  const saving = useSave(async () => {
    await changeProject(project.id, { name: name.trim() });
    setEdited(null);
    toast(m.saved);
  });
  return (
    <SettingsForm
      title={m.settings}
      aside={<HistoryLink id={project.id} />}
      saving={saving}
      needs="PATCH /projects/{id}"
      isChanged={name !== project.name}
      onUndo={() => setEdited(null)}
    >
      <TextField
        label={m.name}
        hint={m.nameHint}
        missing={m.required}
        problem={saving.problems.name}
        value={name}
        onChange={setEdited}
      />
    </SettingsForm>
  );
};

/** How many channels a project reaches, and which endpoints send it posts. */
export const ProjectHead = ({
  project: { id, name, channel_ids: ids, paused_until: until },
  onPause,
  onResume,
}: {
  readonly project: Project;
  readonly onPause: () => void;
  readonly onResume: () => void;
}) => {
  const mayCreate = useMay('POST /endpoints');
  const channels = useChannels().data ?? [];
  const endpoints = useEndpoints().data?.filter(({ project_ids: projects }) => projects.includes(id));
  const onHold = channels.filter((channel) => ids.includes(channel.id) && channelState(channel) === 'on_hold').length;
  const text = until !== null ? m.isPaused : ids.length === 0 ? m.isEmpty : m.publishes(ids.length);
  const values = { name: { name }, ...(until !== null && { until: { at: until } }) };
  return (
    <PageHead
      title={
        <>
          <SentenceText of={sentence(text, values)} />
          {until === null && onHold > 0 && ` ${m.onHold(onHold)}`}
        </>
      }
      actions={
        <>
          {until !== null && (
            <Button needs="POST /projects/{id}/resume" icon="paused" look="primary" onClick={onResume}>
              {m.resume}
            </Button>
          )}
          <Button needs="POST /projects/{id}/pause" icon="paused" onClick={onPause}>
            {until === null ? m.pause : m.pauseLonger}
          </Button>
        </>
      }
    >
      <span className="project-facts">
        {until !== null && <Countdown until={until} />}
        {until !== null && <PausedBy kind="project" id={id} />}
        {endpoints && endpoints.length > 0 && (
          <span>
            {m.from}{' '}
            {endpoints.map((endpoint, index) => (
              <span key={endpoint.id}>
                {index > 0 && ', '}
                <Link className="link" to="/endpoints/$id" params={{ id: endpoint.id }}>
                  <bdi>{endpointName(endpoint)}</bdi>
                </Link>
              </span>
            ))}
          </span>
        )}
        {endpoints?.length === 0 && (
          <span>
            {m.noEndpointText}{' '}
            {mayCreate && (
              <Link className="link" to="/endpoints/new">
                {m.createEndpoint}
              </Link>
            )}
          </span>
        )}
        <Link className="link" to="/timeline" search={{ project: id }}>
          {m.itsPosts}
        </Link>
      </span>
    </PageHead>
  );
};

/** One project: its channels, and its processing settings with a before-and-after preview. */
export const ProjectScreen = () => {
  const { id } = useParams({ from: '/projects/$id' });
  const project = useQuery({
    queryKey: ['project', id],
    queryFn: () => management().get('/projects/{id}', { path: { id } }),
  });
  return (
    <Loaded isPage query={project} rows={8}>
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
      <Stack>
        <ChannelsCard project={project} />
        <ProcessingCard project={project} />
        <Columns first="1.2fr">
          <NameCard project={project} />
          {useMay('DELETE /projects/{id}') && <DeleteCard project={project} />}
        </Columns>
      </Stack>
      {asked === 'pause' && <PauseDialog thing={thing} onClose={close} />}
      {asked === 'resume' && <ResumeDialog thing={thing} onClose={close} />}
    </>
  );
};
