import type { FastifyRequest } from 'fastify';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import type { EndpointPost, FindEndpointPost } from '../../projections/posts/post-details.queries.js';
import { postNotFoundRejection } from './gate/rejections.js';

/** Ids that do not match this pattern are not looked up. */
const POST_ID = /^post_\w{1,64}$/;

/** Finds a post that the endpoint accepted, and adds its id to the request's log entry. @throws GateRejection 404 */
export const requireEndpointPost = async (
  query: FindEndpointPost,
  request: FastifyRequest,
  endpoint: EndpointSnapshot,
  id: string,
): Promise<EndpointPost> => {
  const found = POST_ID.test(id) ? await query.execute(endpoint.endpoint_id, id) : null;
  if (!found) throw postNotFoundRejection(endpoint);
  request.logEntry!.traceId = found.post.trace_id;
  request.logEntry!.postId = found.post.post_id;
  return found;
};
