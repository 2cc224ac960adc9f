import { GatewayError } from '../../../api/management.js';
import { Button } from '../../../components/button.js';
import { Card } from '../../../components/card.js';
import { AreaField } from '../../../components/controls.js';
import { FormattedText } from '../../../components/formatted-text.js';
import { Icon, NetworkMark, networkTitle } from '../../../components/icon.js';
import { ErrorState, Skeleton } from '../../../components/states.js';
import { format } from '../../../i18n/format.js';
import { editText, type Formatted } from './formatting.js';
import { groupPlatforms, type PreviewGroup } from './group-platforms.js';
import { processingMessages as m } from './messages.js';
import type { Preview } from './use-preview.js';

/** Sample text before processing, and the result for each network. */
export const PreviewCard = ({
  sample,
  onSample,
  onReset,
  preview,
  error,
  isStale,
}: {
  readonly sample: Formatted;
  readonly onSample: (sample: Formatted) => void;
  /** Resets the sample to the latest post's text; absent if it already is that text. */
  readonly onReset?: (() => void) | undefined;
  readonly preview: Preview | undefined;
  /** An error that does not belong to a field. */
  readonly error: unknown;
  /** True if the preview does not reflect the latest input yet. */
  readonly isStale: boolean;
}) => (
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

const After = ({
  group: { platforms, result },
  sample,
}: {
  readonly group: PreviewGroup;
  readonly sample: Formatted;
}) => {
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
