import type { FastifyRequest } from 'fastify';
import type { FindPost, FoundPost } from '../../../projections/posts/posts.queries.js';
import { getOwnerScope } from '../caller.js';
import { notFoundProblem } from '../http-problems.js';

/** Returns a post that the caller may see. @throws HttpProblem 404 */
export const requirePost = async (findPost: FindPost, request: FastifyRequest, id: string): Promise<FoundPost> => {
  const found = await findPost.execute(id, getOwnerScope(request));
  if (!found) throw notFoundProblem('post');
  return found;
};
