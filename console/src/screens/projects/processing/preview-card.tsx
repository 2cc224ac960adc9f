import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Api, GatewayError, management } from '../../../api/management.js';
import { Button } from '../../../components/button.js';
import { Card } from '../../../components/card.js';
import { AreaField } from '../../../components/controls.js';
import { FormattedText } from '../../../components/formatted-text.js';
import { Icon, NetworkMark, networkTitle } from '../../../components/icon.js';
import { ErrorState, Skeleton } from '../../../components/states.js';
import { format } from '../../../i18n/format.js';
import { useMay } from '../../../session/rights.js';
import type { Project } from '../project-calls.js';
import { editText, type Formatted } from './draft.js';
import { processingMessages as m } from './messages.js';

const PREVIEW = 'POST /projects/{id}/preview';

/** Networks that get the same text after processing. */
export interface PreviewGroup {
  readonly platforms: readonly string[];
  readonly result: Preview['platforms'][string];
}

/** Groups networks that have the same result, in response order. */
export const groupPlatforms = ({ platforms }: Preview): readonly PreviewGroup[] => {
  const groups = new Map<string, { platforms: string[]; result: Preview['platforms'][string] }>();
  for (const [platform, result] of Object.entries(platforms)) {
    const key = JSON.stringify(result);
    const group = groups.get(key);
    if (group) group.platforms.push(platform);
    else groups.set(key, { platforms: [platform], result });
  }
  return [...groups.values()];
};

interface PreviewCardProps {
  readonly sample: Formatted;
  readonly onSample: (sample: Formatted) => void;
  /** Resets the sample to the latest post's text; absent if it already is that text. */
  readonly onReset?: (() => void) | undefined;
  readonly preview: Preview | undefined;
  /** An error that does not belong to a field. */
  readonly error: unknown;
  /** True if the preview does not reflect the latest input yet. */
  readonly isStale: boolean;
}

/** Sample text before processing, and the result for each network. */
export const PreviewCard = ({ sample, onSample, onReset, preview, error, isStale }: PreviewCardProps) =>
  useMay(PREVIEW) && (
    <Card title={m.preview} className="preview-card">
      <div className="preview-before">
        <AreaField
          label={m.before}
          hint={m.beforeHint}
          rows={5}
          value={sample.text}
          onChange={(value) => onSample(editText(sample, value))}
        />
        {onReset && (
          <Button size="small" look="quiet" onClick={onReset}>
            {m.takeLatest}
          </Button>
        )}
      </div>
      <div className="preview-after" aria-busy={isStale} aria-live="polite">
        <h3>{m.after}</h3>
        {sample.text.trim() === '' ? (
          <p className="secondary">{m.writeSample}</p>
        ) : error instanceof GatewayError && error.status === 429 ? (
          <p className="row preview-note">
            <Icon name="waiting" tone="warn" />
            <bdi>{error.errors.join(' ')}</bdi>
          </p>
        ) : error ? (
          <ErrorState error={error} />
        ) : preview ? (
          groupPlatforms(preview).map((group) => <After key={group.platforms.join()} group={group} sample={sample} />)
        ) : (
          <Skeleton rows={3} />
        )}
      </div>
    </Card>
  );

interface AfterProps {
  readonly group: PreviewGroup;
  readonly sample: Formatted;
}

const After = ({ group: { platforms, result }, sample }: AfterProps) => {
  const isSame = result.text === sample.text && result.entities.length === sample.entities.length;
  return (
    <article className="preview-result">
      <header className="row">
        {platforms.map((platform) => (
          <NetworkMark key={platform} platform={platform} label={false} />
        ))}
        <b>{format.list(platforms.map(networkTitle))}</b>
        {result.filtered === null && isSame && result.warnings.length === 0 && (
          <span className="tertiary">{m.unchanged}</span>
        )}
      </header>
      {result.filtered === null ? (
        <FormattedText text={result.text} entities={result.entities} />
      ) : (
        <p className="row preview-note">
          <Icon name="filtered" />
          <span>
            <b>{m.notPublished}</b> <bdi className="secondary">{result.filtered}</bdi>
          </span>
        </p>
      )}
      {result.warnings.map(({ code, message }) => (
        <p key={code} className="row preview-note">
          <Icon name="onHold" tone="warn" />
          <bdi>{message}</bdi>
        </p>
      ))}
    </article>
  );
};

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
const useQuiet = <T,>(value: T, ms: number): T => {
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
  const mayPreview = useMay(PREVIEW);
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
    enabled: mayPreview && sample.text.trim() !== '',
  });
  return { ...query, isStale: wanted !== asked || query.isPlaceholderData };
};
