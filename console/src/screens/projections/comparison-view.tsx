import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.js';
import { format } from '../../i18n/format.js';
import type { Comparison, Example } from './data.js';
import { diffLines } from './diff-lines.js';
import { projectionsMessages as m } from './messages.js';

/** Number of examples that are shown at first. */
const FIRST = 3;

/** A row-by-row comparison of two versions: the counts, and examples side by side. */
export const ComparisonView = ({
  comparison,
  versions,
  title,
  actions,
}: {
  readonly comparison: Comparison;
  /** Names of the live and the fresh version. */
  readonly versions: readonly [live: string, fresh: string];
  readonly title?: string;
  readonly actions?: ReactNode;
}) => {
  const [isOpen, setIsOpen] = useState(false);
  const { rows, missing, extra, different, examples } = comparison;
  const isEqual = missing + extra + different === 0;
  const count = (value: number, word: string) => (
    <span className={value > 0 ? 'tone-warn' : 'secondary'}>
      <b>{format.number(value)}</b> {word}
    </span>
  );
  return (
    <>
      <div className="projection-counts">
        <span>
          {title !== undefined && `${title}: `}
          {m.compared(format.number(rows))}
        </span>
        {isEqual ? (
          <span className="tone-ok">{m.equal}</span>
        ) : (
          <>
            {count(missing, m.missing)}
            {count(extra, m.extra)}
            {count(different, m.different)}
          </>
        )}
        <span className="projection-actions">{actions}</span>
      </div>
      {(isOpen ? examples : examples.slice(0, FIRST)).map((example, index) => (
        <ExampleView key={index} example={example} versions={versions} />
      ))}
      {!isOpen && examples.length > FIRST && (
        <Button size="small" look="quiet" onClick={() => setIsOpen(true)}>
          + {examples.length - FIRST}
        </Button>
      )}
    </>
  );
};

const ExampleView = ({
  example: { table, key, kind, live, fresh, events },
  versions: [liveName, freshName],
}: {
  readonly example: Example;
  readonly versions: readonly [live: string, fresh: string];
}) => {
  const sides = diffLines(live, fresh);
  return (
    <div className="row-diff">
      <div className="row-diff-head">
        <b>{table}</b> <bdi className="mono">{typeof key === 'string' ? key : JSON.stringify(key)}</bdi>{' '}
        {m.exampleKind[kind]}, {m.inLive(liveName)}
      </div>
      <div className="row-diff-head">
        {m.inFresh(freshName)}
        {events.length > 0 && <span className="tertiary"> · {m.events(events.slice(0, 3).join(', '))}</span>}
      </div>
      {sides.map((lines, side) => (
        <pre key={side} className="code" tabIndex={0}>
          {lines === null
            ? m.absent
            : lines.map(({ text, isChanged }, line) => (
                <span key={line} className={isChanged ? (side === 0 ? 'line-removed' : 'line-added') : 'line'}>
                  {text}
                </span>
              ))}
        </pre>
      ))}
    </div>
  );
};
