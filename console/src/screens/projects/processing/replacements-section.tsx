import type { Problems } from '../../../api/problems.js';
import { Button } from '../../../components/button.js';
import { Checkbox, TextField } from '../../../components/controls.js';
import { newKey, type ReplacementDraft } from './draft.js';
import { processingMessages as m } from './messages.js';
import { useProblemText } from './problem-text.js';
import { Section } from './section.js';

/** Text replacements that apply to every post. */
export const ReplacementsSection = ({
  replacements,
  onChange,
  problems,
}: {
  readonly replacements: readonly ReplacementDraft[];
  readonly onChange: (replacements: readonly ReplacementDraft[]) => void;
  readonly problems: Problems;
}) => {
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
