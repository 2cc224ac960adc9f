import type { Problems } from '../../../api/problems.js';
import { Button } from '../../../components/button.js';
import { Segmented, AreaField, TextField } from '../../../components/controls.js';
import { type FilterDraft, newKey } from './draft.js';
import { processingMessages as m } from './messages.js';
import { NetworkLimit } from './network-limit.js';
import { useProblemText } from './problem-text.js';
import { Section } from './section.js';

/** A project's filters. Each filter either excludes matching posts or lets only matching posts through. */
export const FiltersSection = ({
  filters,
  onChange,
  problems,
}: {
  readonly filters: readonly FilterDraft[];
  readonly onChange: (filters: readonly FilterDraft[]) => void;
  readonly problems: Problems;
}) => {
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
