import { ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Empty, ErrorState } from '../../components/states.js';
import { ExactRequests } from './exact-requests.js';
import { composeMessages as m } from './messages.js';
import type { useComposer } from './use-composer.js';
import { EmptyWalls, Walls } from './walls.js';

/** The walls of the post and its exact requests, or an explanation of why there are none. */
export const Previews = ({ composer }: { readonly composer: ReturnType<typeof useComposer> }) => {
  const { destination, receiving, walls, preview, code } = composer;
  const { endpoint, channels, projects } = destination;
  if (channels.length === 0) {
    return (
      <Card label={m.noChannels}>
        <Empty
          icon="channel"
          title={m.noChannels}
          action={
            projects.length > 0 ? (
              <ButtonLink to="/channels/new">{m.connectChannel}</ButtonLink>
            ) : (
              <ButtonLink to="/endpoints/$id" params={{ id: endpoint.id }}>
                {m.openEndpoint}
              </ButtonLink>
            )
          }
        >
          {m.noChannelsText}
        </Empty>
      </Card>
    );
  }
  if (walls.length === 0 && preview.error !== null) {
    return (
      <Card label={m.preview}>
        <ErrorState error={preview.error} />
      </Card>
    );
  }
  if (walls.length === 0) return <EmptyWalls channels={receiving} />;
  const environment = ['TOKEN', ...(endpoint.require_signature ? ['SIGNING_SECRET'] : [])];
  return (
    <>
      <Walls walls={walls} isStale={preview.isStale} at={composer.at} />
      <ExactRequests walls={walls} code={code} environment={environment} />
    </>
  );
};
