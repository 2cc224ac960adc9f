import { getRouteApi } from '@tanstack/react-router';
import { useChannels, useEndpoints, useProjects } from '../../api/things.js';
import { ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Empty, Loaded } from '../../components/states.js';
import { useScope } from '../../session/scope.js';
import { Composer } from './composer.js';
import { listDestinations } from './destination.js';
import { EditPost } from './edit-post.js';
import { composeMessages as m } from './messages.js';

const route = getRouteApi('/compose');

/** Compose, where users write a post or edit a planned one, preview it for each network, and publish it. */
export const ComposeScreen = () => {
  const { endpoint, day, time, post: postId } = route.useSearch();
  const scope = useScope();
  const endpoints = useEndpoints();
  const projects = useProjects();
  const channels = useChannels();
  const all = {
    data:
      endpoints.data && projects.data && channels.data
        ? listDestinations(endpoints.data, projects.data, channels.data)
        : undefined,
    error: endpoints.error ?? projects.error ?? channels.error,
    refetch: () => Promise.all([endpoints.refetch(), projects.refetch(), channels.refetch()]),
  };
  return (
    <Loaded query={all} rows={8}>
      {(destinations) =>
        postId !== undefined ? (
          <EditPost key={postId} postId={postId} destinations={destinations} />
        ) : destinations.length > 0 ? (
          <Composer key={scope.key} scopeKey={scope.key} destinations={destinations} wanted={{ endpoint, day, time }} />
        ) : (
          <>
            <PageHead title={m.write} />
            <Card label={m.noEndpoint}>
              <Empty
                icon="endpoint"
                title={m.noEndpoint}
                action={
                  <ButtonLink to="/endpoints/new" look="primary">
                    {m.addEndpoint}
                  </ButtonLink>
                }
              >
                {m.noEndpointText}
              </Empty>
            </Card>
          </>
        )
      }
    </Loaded>
  );
};
