import './drafts.css';
import { useState } from 'react';
import type { Api } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { useSave } from '../../components/form.js';
import { Icon } from '../../components/icon.js';
import { SentenceText } from '../../components/sentence.js';
import { Empty } from '../../components/states.js';
import { Age } from '../../components/time.js';
import { toast, toastError } from '../../components/toasts.js';
import { useActorName } from '../../history/actors.js';
import { sentence } from '../../i18n/format.js';
import type { Draft } from './draft.js';
import { draftMessages as m } from './draft-messages.js';
import { readDraft, removeDraft, type SavedDraft, useDrafts } from './saved-draft.js';

interface DraftRowProps {
  readonly draft: Api<'Draft'>;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
}

const DraftRow = ({ draft, isCurrent, onOpen }: DraftRowProps) => {
  const nameOf = useActorName();
  const title = draft.title ?? m.noText;
  const { save: remove, isBusy } = useSave(async () => {
    await removeDraft(draft.id);
    toast(m.removed);
  });
  return (
    <li className="draft-row">
      <button type="button" className="draft-open" aria-current={isCurrent || undefined} onClick={onOpen}>
        <bdi className="cut">{title}</bdi>
        <span className="tertiary">
          <Age since={draft.updated_at} ago />
          {m.changedBy(nameOf(draft.updated_by))}
        </span>
      </button>
      {!isCurrent && (
        <button
          type="button"
          className="draft-remove"
          aria-label={m.remove(title)}
          title={m.remove(title)}
          disabled={isBusy}
          onClick={remove}
        >
          <Icon name="close" size={14} />
        </button>
      )}
    </li>
  );
};

interface DraftsProps {
  readonly draft: Draft;
  readonly saved: SavedDraft;
  /** Shows another draft; null for a new one. */
  readonly onOpen: (draft: Draft | null) => void;
}

/** The button that lists the drafts of everyone, and the list. Renders nothing while there is none to open. */
export const DraftsButton = ({ draft, saved, onOpen }: DraftsProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const drafts = useDrafts().data ?? [];
  const others = drafts.filter(({ id }) => id !== draft.saved?.id);
  if (others.length === 0 && draft.saved === null && !isOpen) return null;
  const open = async (id: string | null): Promise<void> => {
    try {
      await saved.flush();
      const next = id === null ? null : await readDraft(id);
      saved.leave();
      onOpen(next);
      setIsOpen(false);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <>
      <Button size="small" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {m.drafts(drafts.length)}
      </Button>
      {isOpen && (
        <Dialog title={m.title} description={m.text} isOpen onClose={() => setIsOpen(false)}>
          {drafts.length === 0 ? (
            <Empty icon="compose" title={m.none}>
              {m.noneText}
            </Empty>
          ) : (
            <ul className="draft-list" aria-label={m.title}>
              {drafts.map((each) => (
                <DraftRow
                  key={each.id}
                  draft={each}
                  isCurrent={each.id === draft.saved?.id}
                  onOpen={() => void open(each.id)}
                />
              ))}
            </ul>
          )}
          <div className="dialog-actions">
            <Button icon="plus" onClick={() => void open(null)}>
              {m.start}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
};

/** Whether the draft is saved. */
export const DraftState = ({ state }: Pick<SavedDraft, 'state'>) => (
  <span className="tertiary draft-kept" {...(state === 'failed' && { title: m.notSavedText })}>
    {state === 'saved' ? m.kept : state === 'saving' ? m.saving : m.notSaved}
  </span>
);

/** Says that someone else changed the draft or that it is gone, and asks what to keep. */
export const ConflictNotice = ({
  saved: { conflict, keepMine, takeTheirs },
  onDiscard,
}: {
  readonly saved: SavedDraft;
  readonly onDiscard: () => void;
}) => {
  const nameOf = useActorName();
  const { save: take, isBusy } = useSave(takeTheirs);
  if (conflict === null) return null;
  const { theirs } = conflict;
  return (
    <section className="card draft-conflict tone-warn" role="alert">
      <Icon name="person" tone="warn" size={20} />
      <div>
        <p>
          <b>
            {theirs ? (
              <SentenceText
                of={sentence(m.changed, { who: { name: nameOf(theirs.updated_by) }, at: { at: theirs.updated_at } })}
              />
            ) : (
              m.gone
            )}
          </b>
        </p>
        <p>{theirs ? m.changedText : m.goneText}</p>
        <div className="row">
          {theirs ? (
            <Button size="small" busy={isBusy} onClick={take}>
              {m.takeTheirs}
            </Button>
          ) : (
            <Button size="small" onClick={onDiscard}>
              {m.discard}
            </Button>
          )}
          <Button size="small" onClick={keepMine}>
            {theirs ? m.keepMine : m.keepAsNew}
          </Button>
        </div>
      </div>
    </section>
  );
};
