import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Api, management } from '../../../api/management.js';
import type { Project } from '../project-calls.js';
import type { Formatted } from './formatting.js';

/** Processed text, by network. */
export type Preview = Api<'ProcessingPreview'>;

/** Debounce time between the last keystroke and the request to the gateway, in ms. */
const QUIET_MS = 300;
/**
 * The debounce time if translation is configured: longer, because the gateway limits requests to the translation
 * service.
 */
const QUIET_TRANSLATING_MS = 1_500;

/** Debounces a value: returns it once it has not changed for `ms`. */
const useQuiet = <T>(value: T, ms: number): T => {
  const [quiet, setQuiet] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return quiet;
};

/**
 * Previews a project's processing on sample text, shortly after the last change. Until the response arrives, returns
 * the previous preview with `isStale` set.
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
