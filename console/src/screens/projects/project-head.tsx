import { Link } from '@tanstack/react-router';
import { useChannels, useEndpoints } from '../../api/things.js';
import { channelState } from '../../channels/channel-state.js';
import { Button } from '../../components/button.js';
import { PageHead } from '../../components/card.js';
import { SentenceText } from '../../components/sentence.js';
import { Countdown } from '../../components/time.js';
import { sentence } from '../../i18n/sentence.js';
import { projectsMessages as m } from './messages.js';
import type { Project } from './project-calls.js';

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
            <Button icon="paused" look="primary" onClick={onResume}>
              {m.resume}
            </Button>
          )}
          <Button icon="paused" onClick={onPause}>
            {until === null ? m.pause : m.pauseLonger}
          </Button>
        </>
      }
    >
      <span className="project-facts">
        {until !== null && <Countdown until={until} />}
        {endpoints && endpoints.length > 0 && (
          <span>
            {m.from}{' '}
            {endpoints.map((endpoint, index) => (
              <span key={endpoint.id}>
                {index > 0 && ', '}
                <Link className="link" to="/endpoints/$id" params={{ id: endpoint.id }}>
                  <bdi>{endpoint.name ?? endpoint.slug}</bdi>
                </Link>
              </span>
            ))}
          </span>
        )}
        {endpoints?.length === 0 && (
          <span>
            {m.noEndpointText}{' '}
            <Link className="link" to="/endpoints/new">
              {m.createEndpoint}
            </Link>
          </span>
        )}
        <Link className="link" to="/timeline" search={{ project: id }}>
          {m.itsPosts}
        </Link>
      </span>
    </PageHead>
  );
};
