import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Api, management } from '../../../api/management.js';
import type { Project } from '../project-calls.js';
import type { Formatted } from './formatting.js';

/** A text after the processing, by network. */
export type Preview = Api<'ProcessingPreview'>;

/** Delay between the last keystroke and the call of the gateway, in ms. */
const QUIET_MS = 300;
/** The same with a translation, which the gateway lets a project try only a few times a minute. */
const QUIET_TRANSLATING_MS = 1_500;

/** Returns a value once it has not changed for a while. */
const useQuiet = <T>(value: T, ms: number): T => {
  const [quiet, setQuiet] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return quiet;
};

/**
 * Fetches what a project's processing does to a text, 300 ms after the last change. An answer to an earlier request is
 * never shown for a later one; `isStale` means that what is shown is older than what was typed.
 */
export const usePreview = (
  { id: projectId, channel_ids: channels }: Project,
  sample: Formatted,
  processing: Api<'ProcessingRequest'>,
) => {
  const wanted = JSON.stringify({ text: sample.text, entities: sample.entities, processing });
  const asked = useQuiet(wanted, processing.translation ? QUIET_TRANSLATING_MS : QUIET_MS);
  const query = useQuery({
    queryKey: ['processing-preview', projectId, channels, asked],
    queryFn: () =>
      management().post('/projects/{id}/preview', {
        path: { id: projectId },
        body: JSON.parse(asked) as Api<'ProcessingPreviewRequest'>,
      }),
    placeholderData: keepPreviousData,
    gcTime: 30_000,
    retry: false,
    enabled: sample.text.trim() !== '',
  });
  return { ...query, isStale: wanted !== asked || query.isPlaceholderData };
};
