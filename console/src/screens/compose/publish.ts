import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type Api, GatewayError, management } from '../../api/management.js';
import { replacePost } from '../../planning/planning-calls.js';
import { serverNow } from '../../time/server-clock.js';
import { createKey, type Draft } from './draft.js';

/** The response to a new post, or to a change to a planned post. */
export type Published = Pick<Api<'PublishResult'>, 'id' | 'queued_targets' | 'publish_at'> & {
  readonly state?: 'planned' | 'released';
};

/** The state of publishing a draft, and the function that publishes it. */
export interface Publishing {
  readonly isBusy: boolean;
  /** Error from the last attempt; null if it did not fail, or if the post has changed since. */
  readonly error: GatewayError | null;
  /** Time at which the gateway will accept posts again, in ms; null unless it asked to wait. */
  readonly retryAt: number | null;
  /** Sends the post; a second call does nothing while the first is in progress. */
  readonly publish: () => Promise<void>;
}

/**
 * Changes a planned post, or publishes a draft through an endpoint with the draft's idempotency key, so that the draft
 * is never posted twice. If a draft is changed after an attempt whose outcome is unknown, it gets a new key, because it
 * is then a different post.
 */
export const usePublish = (
  draft: Draft,
  update: (change: Partial<Draft>) => void,
  endpointId: string,
  payload: Api<'PublishPayloadRequest'>,
  editedId: string | null,
  onPublished: (result: Published) => void,
): Publishing => {
  const queries = useQueryClient();
  const isUnderWay = useRef(false);
  const [isBusy, setIsBusy] = useState(false);
  const [failed, setFailed] = useState<{
    readonly content: string;
    readonly error: GatewayError;
    readonly at: number;
  } | null>(null);
  const content = JSON.stringify([endpointId, payload]);
  const publish = async (): Promise<void> => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setIsBusy(true);
    setFailed(null);
    const key = draft.attempted === null || draft.attempted === content ? draft.key : createKey();
    update({ key, attempted: content });
    try {
      const path = { id: endpointId };
      const result: Published =
        editedId === null
          ? await management().post('/endpoints/{id}/posts', {
              path,
              body: payload,
              idempotencyKey: key,
              ...(draft.saved && { query: { draft_id: draft.saved.id } }),
            })
          : await replacePost({ id: editedId, revision: draft.revision ?? 0 }, payload);
      for (const name of ['overview', 'posts', 'requests', 'drafts'])
        void queries.invalidateQueries({ queryKey: [name] });
      onPublished(result);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      setFailed({ content, error, at: serverNow() });
      if (error.status >= 400 && error.status < 500) update({ attempted: null });
    } finally {
      isUnderWay.current = false;
      setIsBusy(false);
    }
  };
  const current = failed?.content === content ? failed : null;
  const wait = failed?.error.status === 429 ? failed.error.retryAfter : null;
  return {
    isBusy,
    error: current?.error ?? null,
    retryAt: failed === null || wait === null ? null : failed.at + wait * 1_000,
    publish,
  };
};
