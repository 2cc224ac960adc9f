import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { GatewayError, management } from '../../api/management.js';
import { queryClient } from '../../api/query-client.js';
import { useEndpoints } from '../../api/things.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Confirmation, type Consequence, happens, risk, stays } from '../../components/dialog.js';
import { SentenceText } from '../../components/sentence.js';
import { toast } from '../../components/toasts.js';
import { format } from '../../i18n/format.js';
import { sentence } from '../../i18n/sentence.js';
import { useScope } from '../../session/scope.js';
import { projectsMessages as m } from './messages.js';
import { deleteProject, forgetProject, type Project } from './project-calls.js';

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

const DeleteDialog = ({
  project: { id, name },
  onClose,
}: {
  readonly project: Project;
  readonly onClose: () => void;
}) => {
  const navigate = useNavigate();
  const waiting = useWaiting(id);
  const endpoints = useEndpoints().data?.filter(({ project_ids: ids }) => ids.includes(id)) ?? [];
  const names = format.list(endpoints.map((endpoint) => `“${endpoint.name ?? endpoint.slug}”`));
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
        try {
          await deleteProject(id, endpoints.length > 0);
        } catch (error) {
          // If an endpoint added the project in the meantime, the dialog now lists that endpoint.
          if (error instanceof GatewayError && error.code === 'in_use')
            await queryClient.invalidateQueries({ queryKey: ['endpoints'] });
          throw error;
        }
        toast(m.deleted(name));
        await navigate({ to: '/projects' });
        await forgetProject(id);
      }}
      onClose={onClose}
    />
  );
};
