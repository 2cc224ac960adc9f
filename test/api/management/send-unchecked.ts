import request from 'supertest';
import type { CreatedEndpoint, ManagementHarness } from './management-harness.js';

/** Sends a post to an endpoint, whatever the answer. @returns its status */
export const sendUnchecked = async (harness: ManagementHarness, { slug, token }: CreatedEndpoint): Promise<number> => {
  const call = request(harness.url).post(`/v1/webhooks/${slug}`).set('authorization', `Bearer ${token}`);
  return (await call.send({ text: 'Hello' })).status;
};
