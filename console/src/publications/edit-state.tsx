import './edit-state.css';
import { Icon } from '../components/icon.js';
import { Countdown } from '../components/time.js';
import { format } from '../i18n/format.js';
import { defineMessages } from '../i18n/messages.js';
import type { Publication } from './shown-state.js';

interface EditStateProps {
  readonly publication: Publication;
  /** The newest revision of the post. */
  readonly revision: number;
}

/** Returns whether there is something to say about a publication's content: it was edited, or a message is pinned. */
export const hasEditState = ({
  publication: { content_version: seen, edit, pinned },
  revision,
}: EditStateProps): boolean => edit !== null || pinned !== null || (seen !== null && revision > 1);

/** Which version readers see, how far an edit is, and whether a message is pinned. */
export const EditState = ({ publication, revision }: EditStateProps) => {
  const { content_version: seen, edit, pinned } = publication;
  const isBehind = seen !== null && seen < revision;
  return (
    <span className="edit-state">
      {seen !== null && revision > 1 && (
        <span className={isBehind && edit?.state === 'failed' ? 'tone-warn' : ''}>
          {m.version(format.number(seen))}
        </span>
      )}
      {edit?.state === 'editing' && (
        <span>
          <Icon name="publishing" tone="go" size={13} /> {m.editing}
        </span>
      )}
      {edit?.state === 'waiting' && (
        <span>
          <Icon name="waiting" tone="idle" size={13} /> {m.waits}{' '}
          {edit.waiting_for?.until && <Countdown until={edit.waiting_for.until} />}
        </span>
      )}
      {edit?.state === 'failed' && (
        <span>
          <Icon name="onHold" tone="warn" size={13} /> {m.failed}
        </span>
      )}
      {pinned !== null && <span>{pinned ? m.pinned : m.notPinned}</span>}
    </span>
  );
};

const m = defineMessages({
  en: {
    version: (number: string) => `version ${number}`,
    editing: 'being edited',
    waits: 'edit waits',
    failed: 'not edited',
    pinned: 'pinned',
    notPinned: 'not pinned',
  },
  ru: {
    version: (number: string) => `версия ${number}`,
    editing: 'изменяется',
    waits: 'правка ждёт',
    failed: 'не изменён',
    pinned: 'закреплён',
    notPinned: 'не закреплён',
  },
});
