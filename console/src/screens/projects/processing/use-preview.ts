import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Api, management } from '../../../api/management.js';
import type { Formatted } from './formatting.js';

/** A text after the processing, by network. */
export interface Preview {
  readonly platforms: Readonly<
    Record<
      string,
      {
        readonly text: string;
        readonly entities: readonly Api<'Entity'>[];
        /** The reason for which the post is not published there; null if it is. */
        readonly filtered: string | null;
      }
    >
  >;
}

/** Time after the last key until the gateway is asked, in ms. */
const QUIET_MS = 300;

/** Returns a value that has not changed for a while. */
const useQuiet = <T>(value: T): T => {
  const [quiet, setQuiet] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), QUIET_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return quiet;
};

/**
 * Asks what a project's processing makes of a text, 300 ms after the last change. An answer to an earlier question is never shown
 * for a later one; `isStale` says that what is shown is older than what was typed.
 */
export const usePreview = (projectId: string, sample: Formatted, processing: Api<'ProcessingRequest'>) => {
  const wanted = JSON.stringify({ text: sample.text, entities: sample.entities, processing });
  const asked = useQuiet(wanted);
  const query = useQuery({
    queryKey: ['processing-preview', projectId, asked],
    queryFn: () =>
      (management().post as unknown as (path: string, given: object) => Promise<Preview>)('/projects/{id}/preview', {
        path: { id: projectId },
        body: JSON.parse(asked) as object,
      }),
    placeholderData: keepPreviousData,
    gcTime: 30_000,
    enabled: sample.text.trim() !== '',
  });
  return { ...query, isStale: wanted !== asked || query.isPlaceholderData };
};
