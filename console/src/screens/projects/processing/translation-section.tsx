import type { Problems } from '../../../api/problems.js';
import { Checkbox, Field, Select, TextInput } from '../../../components/controls.js';
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
    <Field label={label} hint={hint} error={text(`translation.${name}`)}>
      {(ids) => (
        <TextInput
          {...ids}
          value={translation?.[name] ?? ''}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      )}
    </Field>
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
          <Field
            label={m.apiKey}
            hint={isStored ? m.apiKeyStays : m.apiKeyOptional}
            error={text('translation.api_key')}
          >
            {(ids) => (
              <TextInput
                {...ids}
                className="mono"
                type="password"
                autoComplete="new-password"
                value={translation.apiKey}
                onChange={(event) => change({ apiKey: event.target.value })}
              />
            )}
          </Field>
          {isStored && translation.apiKey === '' && (
            <Checkbox
              checked={translation.removesKey}
              onChange={(event) => change({ removesKey: event.target.checked })}
            >
              {m.removeKey}
            </Checkbox>
          )}
          <Field label={m.onFailure} error={text('translation.on_failure')}>
            {(ids) => (
              <Select
                {...ids}
                value={translation.onFailure}
                onChange={(event) => change({ onFailure: event.target.value as TranslationDraft['onFailure'] })}
              >
                <option value="publish_original">{m.publishOriginal}</option>
                <option value="retry">{m.retryTranslation}</option>
              </Select>
            )}
          </Field>
        </>
      )}
    </Section>
  );
};
