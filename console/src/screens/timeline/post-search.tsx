import './post-search.css';
import { useEffect, useRef, useState } from 'react';
import { management } from '../../api/management.js';
import type { Names } from '../../api/things.js';
import type { TimelineSearch } from '../../app/search.js';
import { bulkMessages } from '../../bulk/bulk-messages.js';
import { Button } from '../../components/button.js';
import { TextInput } from '../../components/controls.js';
import { CsvButton } from '../../csv/csv-button.js';
import { postColumns, postLines } from '../../csv/lists.js';
import { useActorName } from '../../history/actors.js';
import { defineMessages } from '../../i18n/messages.js';
import { useScope } from '../../session/session.js';
import { BulkPosts } from './bulk-posts.js';
import { PersonChoice } from './person-choice.js';
import { matchesFilter, type PostFilter } from './use-post-list.js';

const m = defineMessages({
  en: { find: 'Find posts…' },
  ru: { find: 'Найти посты…' },
});

/** How long the user must have stopped typing before the gateway is asked, in ms. */
const PAUSE_MS = 300;
/** Maximum length of a search, in characters. */
const MOST_CHARACTERS = 200;

/** Returns what to search for; undefined if it has no letter and no digit, which find nothing. */
const toSearch = (typed: string): string | undefined => (/[\p{L}\p{N}]/u.test(typed) ? typed.trim() : undefined);

interface PostSearchProps {
  readonly search: TimelineSearch;
  readonly filter: PostFilter;
  readonly names: Names;
  readonly onChange: (change: { readonly [K in keyof TimelineSearch]: TimelineSearch[K] | undefined }) => void;
}

/** Finds posts by text and by person, and does something with all that are found. */
export const PostSearch = ({ search: { find, by, platform }, filter, names, onChange }: PostSearchProps) => {
  const scope = useScope();
  const nameOf = useActorName();
  const [isBulk, setIsBulk] = useState(false);
  return (
    <div className="post-search">
      <FindField find={find} onChange={(text) => onChange({ find: text })} />
      <PersonChoice by={by} onChange={(actor) => onChange({ by: actor })} />
      <span className="filter-space" />
      <Button needs="POST /posts/{id}/cancel" size="small" look="quiet" onClick={() => setIsBulk(true)}>
        {bulkMessages.several}
      </Button>
      <CsvButton
        name="posts"
        columns={postColumns(names, nameOf)}
        readPage={async (page) => {
          const { items, next } = await management().get('/posts', { query: { ...scope.query, ...filter, ...page } });
          return { items: postLines(items.filter((post) => matchesFilter(post, { platform }))), next };
        }}
      />
      {isBulk && <BulkPosts filter={filter} platform={platform} onClose={() => setIsBulk(false)} />}
    </div>
  );
};

interface FindFieldProps {
  readonly find: string | undefined;
  readonly onChange: (find: string | undefined) => void;
}

const FindField = ({ find, onChange }: FindFieldProps) => {
  const [typed, setTyped] = useState(find ?? '');
  const [sent, setSent] = useState(find);
  const [known, setKnown] = useState(find);
  if (find !== known) {
    setKnown(find);
    // Changed elsewhere, such as by the button that removes all filters.
    if (find !== sent) {
      setTyped(find ?? '');
      setSent(find);
    }
  }
  const send = useRef(onChange);
  useEffect(() => {
    send.current = onChange;
  });
  const wanted = toSearch(typed);
  useEffect(() => {
    if (wanted === sent) return;
    const timer = setTimeout(() => {
      setSent(wanted);
      send.current(wanted);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted, sent]);
  return (
    <TextInput
      type="search"
      aria-label={m.find}
      placeholder={m.find}
      maxLength={MOST_CHARACTERS}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
};
