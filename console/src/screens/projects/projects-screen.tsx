import './projects.css';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Api } from '../../api/management.js';
import { endpointName, useChannels, useEndpoints, useProjects } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { TextInput } from '../../components/controls.js';
import { Icon, NetworkMark, Pill } from '../../components/icon.js';
import { type Column, RowList } from '../../components/row-list.js';
import { Empty, Loaded } from '../../components/states.js';
import { Countdown } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { PauseDialog, ResumeDialog } from '../../pauses/pause-dialog.js';
import { useOwnerNames } from '../../session/owner-field.js';
import { projectsMessages as m } from './messages.js';
import type { Project } from './project-calls.js';

/** Maximum number of network logos in a row. */
const MARKS = 8;

interface NameCellProps {
  readonly project: Project;
  readonly owner: string | undefined;
}

/** A project's name, and its owner if several owners are shown. */
export const NameCell = ({ project: { id, name }, owner }: NameCellProps) => (
  <span className="row">
    <Icon name="project" />
    <Link className="row-link cut" to="/projects/$id" params={{ id }}>
      <bdi>{name}</bdi>
    </Link>
    {owner !== undefined && <bdi className="tertiary cut">{owner}</bdi>}
  </span>
);

/** A project's state: active, or how much of its pause is left. */
export const StateCell = ({ project: { paused_until: until } }: { readonly project: Project }) => {
  if (until === null)
    return (
      <span className="row secondary project-active">
        <Icon name="published" tone="ok" size={14} />
        {m.active}
      </span>
    );
  return (
    <span className="row">
      <Pill icon="paused" tone="idle">
        {m.paused}
      </Pill>
      <Countdown until={until} />
    </span>
  );
};

interface ChannelsCellProps {
  readonly channels: readonly Api<'Channel'>[];
  readonly ids: readonly string[];
}

/** How many channels a project has, and on which networks. */
export const ChannelsCell = ({ channels, ids }: ChannelsCellProps) => {
  if (ids.length === 0) return <span className="tone-warn">{m.noChannels}</span>;
  return (
    <span className="row project-marks">
      <span className="number">{format.number(ids.length)}</span>
      {channels.slice(0, MARKS).map(({ id, name, platform }) => (
        <span key={id} title={name} className="project-mark">
          <NetworkMark platform={platform} size={16} />
        </span>
      ))}
      {channels.length > MARKS && (
        <span className="tertiary">{m.moreChannels(format.number(channels.length - MARKS))}</span>
      )}
    </span>
  );
};

/** The processing steps that a project uses. */
export const ProcessingCell = ({ processing }: { readonly processing: Api<'Processing'> }) => {
  const parts = (['filters', 'footer', 'replacements', 'translation', 'signature'] as const).filter(
    (part) => processing[part] !== undefined,
  );
  if (parts.length === 0) return <span className="tertiary">{m.none}</span>;
  return <span className="secondary cut project-processing">{parts.map((part) => m[part]).join(', ')}</span>;
};

/** The endpoints that send posts to a project. */
export const EndpointsCell = ({ endpoints }: { readonly endpoints: readonly Api<'Endpoint'>[] }) => {
  const [first, ...others] = endpoints;
  if (!first) return <span className="tertiary">{m.noEndpoint}</span>;
  return (
    <span className="row">
      <Link className="link cut" to="/endpoints/$id" params={{ id: first.id }}>
        <bdi>{endpointName(first)}</bdi>
      </Link>
      {others.length > 0 && <span className="tertiary nowrap">{m.more(others.length)}</span>}
    </span>
  );
};

/** Minimum number of projects at which a search field is shown. */
const SEARCHED = 9;

/** All projects, with their channels, processing and pauses. */
export const ProjectsScreen = () => {
  const projects = useProjects();
  if (projects.data?.length === 0)
    return (
      <>
        <PageHead title={m.noneTitle} />
        <Card label={m.projects}>
          <Empty
            icon="project"
            title={m.noneYet}
            action={
              <ButtonLink look="primary" icon="plus" to="/projects/new">
                {m.create}
              </ButtonLink>
            }
          >
            {m.noneText}
          </Empty>
        </Card>
      </>
    );
  return (
    <Loaded isPage query={projects}>
      {(all) => <ProjectList projects={all} />}
    </Loaded>
  );
};

const ProjectList = ({ projects }: { readonly projects: readonly Project[] }) => {
  const channels = useChannels().data;
  const endpoints = useEndpoints().data;
  const owners = useOwnerNames();
  const byId = useMemo(() => new Map((channels ?? []).map((channel) => [channel.id, channel])), [channels]);
  const [find, setFind] = useState('');
  const [asked, setAsked] = useState<{ readonly verb: 'pause' | 'resume'; readonly project: Project } | null>(null);
  const shown = useMemo(() => {
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    const collator = new Intl.Collator(undefined, { numeric: true });
    return projects
      .filter(({ name, channel_ids: ids }) => {
        const text = [name, ...ids.map((id) => byId.get(id)?.name ?? '')].join('\n').toLowerCase();
        return words.every((word) => text.includes(word));
      })
      .sort((a, b) => collator.compare(a.name, b.name));
  }, [projects, byId, find]);
  const paused = projects.filter(({ paused_until: until }) => until !== null).length;
  const empty = projects.filter(({ channel_ids: ids }) => ids.length === 0).length;
  const reached = new Set(projects.flatMap(({ channel_ids: ids }) => ids)).size;
  const columns: readonly Column<Project>[] = [
    {
      name: 'name',
      title: m.project,
      cell: (project) => <NameCell project={project} owner={owners?.get(project.owner_id)} />,
    },
    { name: 'state', title: m.state, cell: (project) => <StateCell project={project} /> },
    {
      name: 'channels',
      title: m.channels,
      cell: ({ channel_ids: ids }) => <ChannelsCell channels={ids.flatMap((id) => byId.get(id) ?? [])} ids={ids} />,
    },
    { name: 'processing', title: m.processing, cell: ({ processing }) => <ProcessingCell processing={processing} /> },
    {
      name: 'endpoints',
      title: m.endpoints,
      cell: ({ id }) =>
        endpoints && <EndpointsCell endpoints={endpoints.filter(({ project_ids: ids }) => ids.includes(id))} />,
    },
    {
      name: 'action',
      title: m.action,
      isTitleHidden: true,
      cell: (project) =>
        project.paused_until === null ? (
          <Button
            size="small"
            look="quiet"
            needs="POST /projects/{id}/pause"
            aria-label={`${m.pause} ${project.name}`}
            onClick={() => setAsked({ verb: 'pause', project })}
          >
            {m.pause}
          </Button>
        ) : (
          <Button
            size="small"
            needs="POST /projects/{id}/resume"
            aria-label={`${m.resume} ${project.name}`}
            onClick={() => setAsked({ verb: 'resume', project })}
          >
            {m.resume}
          </Button>
        ),
    },
  ];
  const close = (): void => setAsked(null);
  const notes = [...(paused > 0 ? [m.pausedCount(paused)] : []), ...(empty > 0 ? [m.emptyCount(empty)] : [])];
  return (
    <>
      <PageHead
        title={m.title(projects.length, reached)}
        actions={
          <ButtonLink look="primary" icon="plus" to="/projects/new">
            {m.create}
          </ButtonLink>
        }
      >
        {notes.length > 0 ? notes.join(' ') : m.allRun}
      </PageHead>
      {projects.length >= SEARCHED && (
        <div className="project-find">
          <TextInput
            type="search"
            aria-label={m.find}
            placeholder={m.find}
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
        </div>
      )}
      <Card label={m.projects}>
        {shown.length === 0 ? (
          <Empty
            icon="search"
            title={m.nothingFound}
            action={<Button onClick={() => setFind('')}>{m.showAll}</Button>}
          />
        ) : (
          <RowList
            label={m.projects}
            items={shown}
            columns={columns}
            rowHeight={{ desktop: 44, phone: 76 }}
            className="project-list"
          />
        )}
      </Card>
      {asked?.verb === 'pause' && <PauseDialog thing={{ ...asked.project, kind: 'project' }} onClose={close} />}
      {asked?.verb === 'resume' && <ResumeDialog thing={{ ...asked.project, kind: 'project' }} onClose={close} />}
    </>
  );
};
