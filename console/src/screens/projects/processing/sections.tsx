import { type ReactNode, useState } from 'react';
import type { Problems } from '../../../api/management.js';
import { Button } from '../../../components/button.js';
import { AreaField, Checkbox, Chip, Segmented, TextField } from '../../../components/controls.js';
import { Icon, NetworkMark, NETWORKS, networkTitle } from '../../../components/icon.js';
import { type FilterDraft, newKey, type ProcessingDraft, type ReplacementDraft } from './draft.js';
import { processingMessages as m } from './messages.js';
import { useProblemText } from './problem-text.js';

interface SectionProps {
  readonly title: string;
  readonly explanation: string;
  /** A summary of the settings in a word or two, visible even when the section is collapsed. */
  readonly state: ReactNode;
  readonly isUsed: boolean;
  /** A problem with the step as a whole. */
  readonly error?: string | undefined;
  readonly children: ReactNode;
}

/** A collapsible section for one processing step, initially open if the project uses the step. */
export const Section = ({ title, explanation, state, isUsed, error, children }: SectionProps) => {
  const [isOpen, setIsOpen] = useState(isUsed);
  return (
    <details
      className="processing-section"
      open={isOpen || error !== undefined}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="chevronRight" size={14} />
        <h3>{title}</h3>
        <span className={isUsed ? 'secondary' : 'tertiary'}>{state}</span>
      </summary>
      <div className="processing-fields">
        <p className="secondary">{explanation}</p>
        {error !== undefined && (
          <p className="tone-fail" role="alert">
            {error}
          </p>
        )}
        {children}
      </div>
    </details>
  );
};

interface NetworkLimitProps {
  readonly value: readonly string[];
  readonly onChange: (platforms: readonly string[]) => void;
  readonly error?: string | undefined;
}

/** A field that limits a processing step to some networks; it applies to all networks if none is selected. */
export const NetworkLimit = ({ value, onChange, error }: NetworkLimitProps) => (
  <div className="network-limit" role="group" aria-label={m.networks}>
    <Chip isOn={value.length === 0} onClick={() => onChange([])}>
      {m.allNetworks}
    </Chip>
    {NETWORKS.map((network) => {
      const isOn = value.includes(network);
      return (
        <Chip
          key={network}
          isOn={isOn}
          onClick={() => onChange(isOn ? value.filter((each) => each !== network) : [...value, network])}
        >
          <NetworkMark platform={network} size={14} label={false} />
          {networkTitle(network)}
        </Chip>
      );
    })}
    {error !== undefined && (
      <p className="tone-fail" role="alert">
        {error}
      </p>
    )}
  </div>
);

interface FiltersSectionProps {
  readonly filters: readonly FilterDraft[];
  readonly onChange: (filters: readonly FilterDraft[]) => void;
  readonly problems: Problems;
}

/** A project's filters. Each filter either excludes matching posts or lets only matching posts through. */
export const FiltersSection = ({ filters, onChange, problems }: FiltersSectionProps) => {
  const text = useProblemText(problems);
  const change = (key: number, part: Partial<FilterDraft>): void =>
    onChange(filters.map((filter) => (filter.key === key ? { ...filter, ...part } : filter)));
  const add = (): void =>
    onChange([...filters, { key: newKey(), mode: 'exclude', words: '', pattern: '', platforms: [] }]);
  return (
    <Section
      title={m.filters}
      explanation={m.filtersText}
      state={filters.length === 0 ? m.none : m.count(filters.length)}
      isUsed={filters.length > 0}
      {...(problems.filters && { error: text('filters') })}
    >
      {filters.map((filter, index) => {
        const path = `filters[${index}]`;
        return (
          <fieldset key={filter.key} className="processing-row">
            <legend className="visually-hidden">{m.filter(index + 1)}</legend>
            <div className="processing-row-head">
              <Segmented
                label={m.filterMode}
                value={filter.mode}
                options={[
                  { value: 'exclude', label: m.exclude },
                  { value: 'include', label: m.include },
                ]}
                onChange={(mode) => change(filter.key, { mode })}
              />
              <Button
                size="small"
                look="quiet"
                icon="close"
                aria-label={m.removeFilter(index + 1)}
                onClick={() => onChange(filters.filter(({ key }) => key !== filter.key))}
              />
            </div>
            <AreaField
              label={m.words}
              hint={m.wordsHint}
              error={problems[path] ? text(path) : text(`${path}.words`)}
              rows={2}
              value={filter.words}
              onChange={(value) => change(filter.key, { words: value })}
            />
            <TextField
              label={m.pattern}
              hint={m.patternHint}
              error={text(`${path}.pattern`)}
              className="mono"
              value={filter.pattern}
              onChange={(value) => change(filter.key, { pattern: value })}
            />
            <NetworkLimit
              value={filter.platforms}
              onChange={(platforms) => change(filter.key, { platforms })}
              error={text(`${path}.platforms`)}
            />
          </fieldset>
        );
      })}
      <Button size="small" icon="plus" onClick={add}>
        {m.addFilter}
      </Button>
    </Section>
  );
};

type Footer = ProcessingDraft['footer'];

interface FooterSectionProps {
  readonly footer: Footer;
  readonly onChange: (footer: Footer) => void;
  readonly problems: Problems;
}

/** Settings for cutting off a footer: everything from the last occurrence of a string or pattern. */
export const FooterSection = ({ footer, onChange, problems }: FooterSectionProps) => {
  const text = useProblemText(problems);
  return (
    <Section
      title={m.footer}
      explanation={m.footerText}
      state={footer.by === 'none' ? m.none : <bdi className="cut">{footer.text}</bdi>}
      isUsed={footer.by !== 'none'}
    >
      <Segmented
        label={m.footerBy}
        value={footer.by}
        options={[
          { value: 'none', label: m.keepFooter },
          { value: 'marker', label: m.byMarker },
          { value: 'pattern', label: m.byPattern },
        ]}
        onChange={(by) => onChange({ ...footer, by })}
      />
      {footer.by !== 'none' && (
        <TextField
          label={footer.by === 'marker' ? m.marker : m.pattern}
          hint={footer.by === 'marker' ? m.markerHint : m.patternHint}
          error={text('footer')}
          className={footer.by === 'pattern' ? 'mono' : ''}
          value={footer.text}
          onChange={(value) => onChange({ ...footer, text: value })}
        />
      )}
    </Section>
  );
};

interface ReplacementsSectionProps {
  readonly replacements: readonly ReplacementDraft[];
  readonly onChange: (replacements: readonly ReplacementDraft[]) => void;
  readonly problems: Problems;
}

/** Text replacements that apply to every post. */
export const ReplacementsSection = ({ replacements, onChange, problems }: ReplacementsSectionProps) => {
  const text = useProblemText(problems);
  const change = (key: number, part: Partial<ReplacementDraft>): void =>
    onChange(replacements.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const add = (): void =>
    onChange([...replacements, { key: newKey(), from: '', to: '', wholeWord: true, ignoreCase: false }]);
  return (
    <Section
      title={m.replacements}
      explanation={m.replacementsText}
      state={replacements.length === 0 ? m.none : m.count(replacements.length)}
      isUsed={replacements.length > 0}
      {...(problems.replacements && { error: text('replacements') })}
    >
      {replacements.map(({ key, from, to, wholeWord, ignoreCase }, index) => {
        const path = `replacements[${index}]`;
        return (
          <fieldset key={key} className="processing-row replacement">
            <legend className="visually-hidden">{m.replacement(index + 1)}</legend>
            <TextField
              label={m.from}
              error={text(`${path}.from`)}
              value={from}
              onChange={(value) => change(key, { from: value })}
            />
            <TextField
              label={m.to}
              error={text(`${path}.to`)}
              placeholder={m.toNothing}
              value={to}
              onChange={(value) => change(key, { to: value })}
            />
            <div className="row replacement-options">
              <Checkbox checked={wholeWord} onChange={(event) => change(key, { wholeWord: event.target.checked })}>
                {m.wholeWord}
              </Checkbox>
              <Checkbox checked={ignoreCase} onChange={(event) => change(key, { ignoreCase: event.target.checked })}>
                {m.ignoreCase}
              </Checkbox>
              <span className="grow" />
              <Button
                size="small"
                look="quiet"
                icon="close"
                aria-label={m.removeReplacement(index + 1)}
                onClick={() => onChange(replacements.filter((each) => each.key !== key))}
              />
            </div>
          </fieldset>
        );
      })}
      <Button size="small" icon="plus" onClick={add}>
        {m.addReplacement}
      </Button>
    </Section>
  );
};
