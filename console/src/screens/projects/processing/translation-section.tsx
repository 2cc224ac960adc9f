import type { Problems } from '../../../api/problems.js';
import { Checkbox, TextField, SelectField } from '../../../components/controls.js';
import type { TranslationDraft } from './draft.js';
import { processingMessages as m } from './messages.js';
import { useProblemText } from './problem-text.js';
import { Section } from './section.js';

const NEW: TranslationDraft = {
  url: '',
  apiKey: '',
  removesKey: false,
  source: 'auto',
  target: '',
  onFailure: 'publish_original',
};

/** Settings for translating a project's posts with a LibreTranslate-compatible service. */
export const TranslationSection = ({
  translation,
  onChange,
  problems,
  isStored,
}: {
  readonly translation: TranslationDraft | null;
  readonly onChange: (translation: TranslationDraft | null) => void;
  readonly problems: Problems;
  /** True if translation is already configured, in which case an API key may be stored. */
  readonly isStored: boolean;
}) => {
  const text = useProblemText(problems);
  const change = (part: Partial<TranslationDraft>): void => onChange({ ...(translation ?? NEW), ...part });
  const field = (name: 'url' | 'source' | 'target', label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      error={text(`translation.${name}`)}
      value={translation?.[name] ?? ''}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <Section
      title={m.translation}
      explanation={m.translationText}
      state={translation ? `${translation.source} → ${translation.target}` : m.none}
      isUsed={translation !== null}
    >
      <Checkbox checked={translation !== null} onChange={(event) => onChange(event.target.checked ? NEW : null)}>
        {m.translate}
      </Checkbox>
      {translation && (
        <>
          {field('url', m.serviceUrl, m.serviceUrlHint)}
          <div className="two-fields">
            {field('source', m.sourceLanguage, m.sourceHint)}
            {field('target', m.targetLanguage, m.targetHint)}
          </div>
          <TextField
            label={m.apiKey}
            hint={isStored ? m.apiKeyStays : m.apiKeyOptional}
            error={text('translation.api_key')}
            className="mono"
            type="password"
            autoComplete="new-password"
            value={translation.apiKey}
            onChange={(value) => change({ apiKey: value })}
          />
          {isStored && translation.apiKey === '' && (
            <Checkbox
              checked={translation.removesKey}
              onChange={(event) => change({ removesKey: event.target.checked })}
            >
              {m.removeKey}
            </Checkbox>
          )}
          <SelectField
            label={m.onFailure}
            error={text('translation.on_failure')}
            value={translation.onFailure}
            onChange={(value) => change({ onFailure: value as TranslationDraft['onFailure'] })}
            options={[
              ['publish_original', m.publishOriginal],
              ['retry', m.retryTranslation],
            ]}
          />
        </>
      )}
    </Section>
  );
};
