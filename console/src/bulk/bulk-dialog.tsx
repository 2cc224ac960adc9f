import './bulk.css';
import { type ReactNode, useState } from 'react';
import { GatewayError } from '../api/management.js';
import { Button } from '../components/button.js';
import { Checkbox } from '../components/controls.js';
import { Dialog } from '../components/dialog.js';
import { Icon } from '../components/icon.js';
import { GatewayText } from '../components/sentence.js';
import { toast } from '../components/toasts.js';
import { format } from '../i18n/format.js';
import { bulkMessages as m } from './bulk-messages.js';
import type { Result } from './run-each.js';
import { useBulkRun } from './use-bulk-run.js';

/** A thing that can be chosen. */
export interface BulkItem {
  readonly id: string;
  readonly name: ReactNode;
}

interface BulkDialogProps<T extends BulkItem> {
  readonly title: string;
  readonly text?: string;
  /** What the list shows. */
  readonly label: string;
  readonly items: readonly T[];
  /** Fields that say what happens. */
  readonly fields: ReactNode;
  /** What will happen, in a sentence. */
  readonly consequence: string;
  /** The button's label, with the number of things. */
  readonly verb: (count: number) => string;
  readonly isDanger?: boolean;
  /** False while the fields are not complete. */
  readonly isReady: boolean;
  /** @param isAgain true if an earlier call failed */
  readonly work: (item: T, chosen: readonly T[], isAgain: boolean) => Promise<unknown>;
  /** Called when all is done, or as much as could be, to refresh the screen. */
  readonly onEnd: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks once what to do with several things, does it, and shows what became of each. */
export const BulkDialog = <T extends BulkItem>(props: BulkDialogProps<T>) => {
  const { title, text, label, items, fields, consequence, verb, isDanger = false, isReady, work, onClose } = props;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(items.map(({ id }) => id)));
  const { shown, results, isBusy, start, tryAgain, stop } = useBulkRun<T>({
    work,
    onEnd: (done, all, isLeft) => {
      void props.onEnd();
      if (isLeft) toast(m.done(done, all));
    },
  });
  if (shown !== null) {
    const done = [...results.values()].filter(({ isDone }) => isDone).length;
    return (
      <Dialog title={title} isOpen onClose={onClose}>
        <p role="status">{isBusy ? m.working(results.size, shown.length) : m.done(done, shown.length)}</p>
        <progress className="bulk-progress" value={results.size} max={shown.length} aria-label={title} />
        <Results label={label} items={shown} results={results} isBusy={isBusy} />
        <div className="dialog-actions">
          {done < shown.length && !isBusy && <Button onClick={tryAgain}>{m.retry}</Button>}
          {isBusy ? (
            <Button onClick={stop}>{m.stop}</Button>
          ) : (
            <Button look="primary" onClick={onClose}>
              {m.close}
            </Button>
          )}
        </div>
      </Dialog>
    );
  }
  const picked = items.filter(({ id }) => chosen.has(id));
  const toggle = (id: string, isOn: boolean): void => {
    const next = new Set(chosen);
    if (isOn) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  return (
    <Dialog title={title} {...(text !== undefined && { description: text })} isOpen onClose={onClose}>
      <div className="bulk-fields">{fields}</div>
      <div className="row bulk-head">
        <span>{m.chosen(format.number(picked.length), format.number(items.length))}</span>
        <Button size="small" onClick={() => setChosen(new Set(items.map(({ id }) => id)))}>
          {m.all}
        </Button>
        <Button size="small" onClick={() => setChosen(new Set())}>
          {m.none}
        </Button>
      </div>
      <ul className="bulk-list" aria-label={label}>
        {items.map(({ id, name }) => (
          <li key={id} className="bulk-row">
            <Checkbox checked={chosen.has(id)} onChange={(event) => toggle(id, event.target.checked)}>
              <span className="bulk-name">{name}</span>
            </Checkbox>
          </li>
        ))}
      </ul>
      <p className="secondary">{consequence}</p>
      <div className="dialog-actions">
        <Button
          look={isDanger ? 'danger' : 'primary'}
          disabled={!isReady || picked.length === 0}
          onClick={() => start(picked)}
        >
          {verb(picked.length)}
        </Button>
      </div>
    </Dialog>
  );
};

const reasonOf = (error: unknown): string => (error instanceof GatewayError ? error.errors.join(' ') : String(error));

interface ResultsProps {
  readonly label: string;
  readonly items: readonly BulkItem[];
  readonly results: ReadonlyMap<string, Result>;
  readonly isBusy: boolean;
}

const Results = ({ label, items, results, isBusy }: ResultsProps) => (
  <ul className="bulk-list" aria-label={label} tabIndex={0}>
    {items.map(({ id, name }) => {
      const result = results.get(id);
      return (
        <li key={id} className="bulk-row">
          <ResultMark result={result} isBusy={isBusy} />
          <span className="bulk-name">
            {name}
            {result?.isDone === false && (
              <small className="tone-fail">
                <GatewayText text={reasonOf(result.error)} />
              </small>
            )}
          </span>
        </li>
      );
    })}
  </ul>
);

const ResultMark = ({ result, isBusy }: { readonly result: Result | undefined; readonly isBusy: boolean }) => {
  if (!result) return <Icon name="waiting" tone="idle" label={isBusy ? m.waits : m.notBegun} />;
  return result.isDone ? (
    <Icon name="check" tone="ok" label={m.changed} />
  ) : (
    <Icon name="failed" tone="fail" label={m.failed} />
  );
};
