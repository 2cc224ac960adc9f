import { setTimeout as sleep } from 'node:timers/promises';
import { CLI_MESSAGES } from './messages.js';
import { type Output, textOf, type Thing, thingsIn, valueAt } from './output.js';

const POLL_MS = 500;

/** Final states: nothing more happens unless the owner acts. */
export const SETTLED: ReadonlySet<string> = new Set([
  ...['published', 'failed', 'in_doubt', 'filtered', 'dismissed'],
  ...['withdrawn', 'withdraw_failed'],
]);
/** States in which the owner has to decide. */
export const TROUBLED: ReadonlySet<string> = new Set(['failed', 'in_doubt']);

/** Returns the publications of a post, or the publication itself. */
export const publicationsOf = (thing: Thing): readonly Thing[] =>
  Array.isArray(thing.publications) ? thingsIn(thing.publications) : [thing];

/**
 * Waits until no publication of a post, or the publication itself, is open, then prints them.
 * @param read reads the post or publication
 * @returns the publications
 */
export const waitForPublications = async (
  out: Output,
  read: () => Promise<Thing>,
  isOpen: (publication: Thing) => boolean,
): Promise<readonly Thing[]> => {
  for (;;) {
    const found = await read();
    const publications = publicationsOf(found);
    const open = publications.filter(isOpen);
    if (open.length > 0) {
      out.progress(1 - open.length / publications.length, tellPublication(open[0]!));
      await sleep(POLL_MS);
      continue;
    }
    out.endProgress();
    if (out.isJson) out.answer(found);
    else for (const publication of publications) out.line(tellPublication(publication));
    return publications;
  }
};

/** Returns a sentence about a publication's state and its reason. */
export const tellPublication = (publication: Thing): string => {
  const { id, platform, target_id, state } = publication;
  const known = { id: textOf(id), platform: textOf(platform), channel: textOf(target_id), state: textOf(state) };
  const why = reasonOf(publication);
  return why === '' ? CLI_MESSAGES.publication(known) : CLI_MESSAGES.publicationBecause({ ...known, why });
};

/** Returns the reason for a publication's state: what it waits for, what went wrong, or where it was published. */
const reasonOf = (publication: Thing): string => {
  const { state } = publication;
  if (state === 'withdrawing') return textOf(valueAt(publication, 'withdrawal.waiting_for.text'));
  if (state === 'withdraw_failed') return textOf(valueAt(publication, 'withdrawal.error.message'));
  if (state === 'withdrawn') return textOf(valueAt(publication, 'withdrawal.reason'));
  const waiting = textOf(valueAt(publication, 'waiting_for.text'));
  if (waiting !== '') return waiting;
  const duplicate = thingsIn(publication.warnings).find(({ code }) => code === 'published_twice');
  if (duplicate) return textOf(duplicate.message);
  const edit = [valueAt(publication, 'edit.waiting_for.text'), valueAt(publication, 'edit.error.message')].map(textOf);
  const unshown = edit.find((text) => text !== '');
  if (state === 'published' && unshown) return unshown;
  if (state === 'published') return textOf(publication.urls) || textOf(publication.message_ids);
  const error = thingsIn(publication.attempts).at(-1)?.error;
  const said = [valueAt(error, 'message'), valueAt(error, 'platform_says')].map(textOf).filter((text) => text !== '');
  if (said.length > 0) return said.join(' ');
  return thingsIn(publication.warnings)
    .map((warning) => textOf(warning.message))
    .join(' ');
};

/**
 * Returns the states of a post's publications, with counts. Publications whose readers do not see the newest content count
 * as `editing`, or as `edit_failed` if they will not.
 */
export const statesOf = (post: Thing): readonly string[] => {
  const counts = new Map<string, number>();
  const count = (state: string): unknown => counts.set(state, (counts.get(state) ?? 0) + 1);
  const publications = publicationsOf(post);
  for (const { state } of publications) count(String(state));
  for (const { edit, state } of publications)
    if (state === 'published' && edit) count(valueAt(edit, 'error') ? 'edit_failed' : 'editing');
  return [...counts].map(([state, times]) => (times === 1 ? state : `${times} ${state}`));
};

/** Returns what an event of an edit or a pin says beyond its type; an empty string for any other event. */
export const tellChange = ({ type, data }: Thing): string => {
  const revision = textOf(valueAt(data, 'revision') ?? valueAt(data, 'content.revision'));
  const id = textOf(valueAt(data, 'messageId'));
  const why = [valueAt(data, 'error.message'), valueAt(data, 'error.platform_says')].map(textOf).join(' ').trim();
  switch (type) {
    case 'PostEdited':
      return CLI_MESSAGES.contentReplaced({ revision });
    case 'PublicationEdited':
      return (valueAt(data, 'changed') === false ? CLI_MESSAGES.editChangesNothing : CLI_MESSAGES.editShown)({
        revision,
      });
    case 'PublicationEditFailed':
      return CLI_MESSAGES.editFailed({ revision, why });
    case 'PublicationPinned':
      return CLI_MESSAGES.pinned({ id });
    case 'PublicationPinFailed':
      return CLI_MESSAGES.pinFailed({ why });
    default:
      return '';
  }
};
