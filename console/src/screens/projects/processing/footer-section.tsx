import type { Problems } from '../../../api/problems.js';
import { Segmented, TextField } from '../../../components/controls.js';
import type { ProcessingDraft } from './draft.js';
import { processingMessages as m } from './messages.js';
import { useProblemText } from './problem-text.js';
import { Section } from './section.js';

type Footer = ProcessingDraft['footer'];

/** Settings for cutting off a footer: everything from the last occurrence of a string or pattern. */
export const FooterSection = ({
  footer,
  onChange,
  problems,
}: {
  readonly footer: Footer;
  readonly onChange: (footer: Footer) => void;
  readonly problems: Problems;
}) => {
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
