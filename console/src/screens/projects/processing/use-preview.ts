import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Api, management } from '../../../api/management.js';
import type { Project } from '../project-calls.js';
import type { Formatted } from './formatting.js';

/** A text after the processing, by network. */
export type Preview = Api<'ProcessingPreview'>;

/** Delay between the last keystroke and the call to the gateway, in ms. */
const QUIET_MS = 300;
/** The delay if a translation is configured; longer, because the gateway limits requests to the translation service. */
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
 * Fetches a preview of what a project's processing does to a text, shortly after the last change. Until it arrives, the
 * previous preview is returned and `isStale` is true.
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
