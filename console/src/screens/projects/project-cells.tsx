import { Link } from '@tanstack/react-router';
import type { Api } from '../../api/management.js';
import { Icon, NetworkMark } from '../../components/icon.js';
import { Pill } from '../../components/state-pill.js';
import { Countdown } from '../../components/time.js';
import { format } from '../../i18n/format.js';
import { projectsMessages as m } from './messages.js';
import type { Project } from './project-calls.js';

/** Maximum number of network logos in a row. */
const MARKS = 8;

/** A project's name, and its owner if several owners are shown. */
export const NameCell = ({
  project: { id, name },
  owner,
}: {
  readonly project: Project;
  readonly owner: string | undefined;
}) => (
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

/** How many channels a project has, and on which networks. */
export const ChannelsCell = ({
  channels,
  ids,
}: {
  readonly channels: readonly Api<'Channel'>[];
  readonly ids: readonly string[];
}) => {
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
        <bdi>{first.name ?? first.slug}</bdi>
      </Link>
      {others.length > 0 && <span className="tertiary nowrap">{m.more(others.length)}</span>}
    </span>
  );
};
