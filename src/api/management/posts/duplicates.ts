import { listMessages } from '../../../commands/publication/published-messages.js';
import type { PublicationWarning } from '../../../domain/publication/publication.events.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { PUBLICATION_VIEW_MESSAGES } from '../messages.js';

type Shown = Pick<PublicationRow, 'message_ids' | 'urls' | 'duplicates'>;

/** Lists all messages of a publication that readers see twice: their links or, where there are none, their ids. */
export const describeDuplicates = ({ message_ids, urls, duplicates }: Shown): string =>
  listMessages([
    { messageIds: message_ids, urls },
    ...duplicates.map((duplicate) => ({ messageIds: duplicate.message_ids, urls: duplicate.urls })),
  ]);

/** Returns the warning that readers see a publication twice; empty once the duplicate is dismissed (D-84). */
export const warnOfDuplicate = (row: Shown & Pick<PublicationRow, 'duplicate_since'>): readonly PublicationWarning[] =>
  row.duplicate_since === null
    ? []
    : [
        {
          code: 'published_twice',
          message: PUBLICATION_VIEW_MESSAGES.publishedTwice({ messages: describeDuplicates(row) }),
        },
      ];
