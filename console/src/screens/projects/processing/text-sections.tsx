import { useRef, useState } from 'react';
import type { Problems } from '../../../api/management.js';
import { Button } from '../../../components/button.js';
import { AreaField, Checkbox, SelectField, TextField, TextInput } from '../../../components/controls.js';
import { editText, type SignatureDraft, toggleFormat, type TranslationDraft } from './draft.js';
import { processingMessages as m } from './messages.js';
import { useProblemText } from './problem-text.js';
import { NetworkLimit, Section } from './sections.js';

interface SignatureSectionProps {
  readonly signature: SignatureDraft;
  readonly onChange: (signature: SignatureDraft) => void;
  readonly problems: Problems;
}

/** The signature below every post: its text, with bold, italic and links. */
export const SignatureSection = ({ signature, onChange, problems }: SignatureSectionProps) => {
  const text = useProblemText(problems);
  const area = useRef<HTMLTextAreaElement | null>(null);
  /** The range to link, while its URL is being typed. */
  const [linked, setLinked] = useState<{ readonly start: number; readonly end: number } | null>(null);
  const selection = () => ({ start: area.current?.selectionStart ?? 0, end: area.current?.selectionEnd ?? 0 });
  const format = (type: 'bold' | 'italic'): void => {
    const { start, end } = selection();
    if (start < end) onChange({ ...signature, ...toggleFormat(signature, start, end, type) });
    area.current?.focus();
  };
  const startLink = (): void => {
    const { start, end } = selection();
    if (start < end) setLinked({ start, end });
    else area.current?.focus();
  };
  return (
    <Section
      title={m.signature}
      explanation={m.signatureText}
      state={signature.text === '' ? m.none : <bdi className="cut">{signature.text}</bdi>}
      isUsed={signature.text !== ''}
    >
      <AreaField
        label={m.signatureLabel}
        hint={m.signatureHint}
        error={text('signature.text') ?? text('signature.entities')}
        ref={area}
        rows={3}
        value={signature.text}
        onChange={(value) => onChange({ ...signature, ...editText(signature, value) })}
      />
      {linked ? (
        <LinkForm
          onCancel={() => setLinked(null)}
          onLink={(url) => {
            onChange({ ...signature, ...toggleFormat(signature, linked.start, linked.end, 'text_link', url) });
            setLinked(null);
          }}
        />
      ) : (
        <div className="row signature-bar" role="group" aria-label={m.formatting}>
          <Button size="small" aria-label={m.bold} title={m.bold} onClick={() => format('bold')}>
            <b>B</b>
          </Button>
          <Button size="small" aria-label={m.italic} title={m.italic} onClick={() => format('italic')}>
            <i>I</i>
          </Button>
          <Button size="small" icon="link" aria-label={m.link} title={m.link} onClick={startLink} />
          {signature.entities.length > 0 && (
            <Button size="small" look="quiet" onClick={() => onChange({ ...signature, entities: [] })}>
              {m.clearFormatting}
            </Button>
          )}
          <span className="tertiary">{m.selectFirst}</span>
        </div>
      )}
      <NetworkLimit
        value={signature.platforms}
        onChange={(platforms) => onChange({ ...signature, platforms })}
        error={text('signature.platforms')}
      />
    </Section>
  );
};

const LinkForm = ({ onLink, onCancel }: { readonly onLink: (url: string) => void; readonly onCancel: () => void }) => {
  const [url, setUrl] = useState('https://');
  return (
    <div className="row signature-bar">
      <TextInput
        autoFocus
        aria-label={m.linkAddress}
        className="grow"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          onLink(url.trim());
        }}
      />
      <Button size="small" onClick={() => onLink(url.trim())}>
        {m.setLink}
      </Button>
      <Button size="small" look="quiet" onClick={onCancel}>
        {m.cancel}
      </Button>
    </div>
  );
};

const NEW: TranslationDraft = {
  url: '',
  apiKey: '',
  removesKey: false,
  source: 'auto',
  target: '',
  onFailure: 'publish_original',
};

interface TranslationSectionProps {
  readonly translation: TranslationDraft | null;
  readonly onChange: (translation: TranslationDraft | null) => void;
  readonly problems: Problems;
  /** True if translation is already configured, in which case an API key may be stored. */
  readonly isStored: boolean;
}

/** Settings for translating a project's posts with a LibreTranslate-compatible service. */
export const TranslationSection = ({ translation, onChange, problems, isStored }: TranslationSectionProps) => {
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
