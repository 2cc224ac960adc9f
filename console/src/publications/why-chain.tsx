import './why-chain.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { management } from '../api/management.js';
import type { Names } from '../api/things.js';
import { Icon } from '../components/icon.js';
import { format } from '../i18n/format.js';
import { defineMessages, pluralRu } from '../i18n/messages.js';
import { useMay } from '../session/rights.js';
import type { Publication } from './shown-state.js';
import { shownState, StateGlyph } from './states.js';
import { WaitingReasonAndTime } from './waiting.js';

const m = defineMessages({
  en: {
    label: 'Why it waits',
    number: (number: string) => `Number ${number}:`,
    own: (number: string) => `This is number ${number}`,
    ownAfter: (number: string) => `This is number ${number}: publishes right after`,
    between: (count: number, shown: string) => `and ${shown} before it`,
  },
  ru: {
    label: 'Чего он ждёт',
    number: (number: string) => `Номер ${number}:`,
    own: (number: string) => `Этот — номер ${number}`,
    ownAfter: (number: string) => `Этот — номер ${number}: выйдет сразу следом`,
    between: (count: number, shown: string) => `и ещё ${shown} ${pluralRu(count, 'пост', 'поста', 'постов')} перед ним`,
  },
});

interface WhyChainProps {
  readonly chain: Chain;
  readonly names: Pick<Names, 'channel' | 'project'>;
}

/** Explains a publication's wait as a chain, from the root cause to the publication itself. */
export const WhyChain = ({ chain: { links, between }, names }: WhyChainProps) => {
  const own = links.at(-1);
  const before = links.slice(0, -1);
  if (!own) return null;
  const number = format.number(own.sequence ?? 0);
  return (
    <ol className="why-chain" aria-label={m.label}>
      {before.map((link) => (
        <li>
          <Link to="/publications/$id" params={{ id: link.id }} className="why-link">
            <StateGlyph state={shownState(link)} />
            <span>
              {m.number(format.number(link.sequence ?? 0))} <WaitingReasonAndTime publication={link} names={names} />
            </span>
          </Link>
          <Icon name="chevronRight" />
        </li>
      ))}
      {between !== null && between > 0 && (
        <li>
          <span className="why-link more">{m.between(between, format.number(between))}</span>
          <Icon name="chevronRight" />
        </li>
      )}
      <li>
        <span className="why-link own">
          <StateGlyph state={shownState(own)} />
          <span>
            {before.length > 0 ? (
              between === 0 ? (
                m.ownAfter(number)
              ) : (
                m.own(number)
              )
            ) : (
              <WaitingReasonAndTime publication={own} names={names} />
            )}
          </span>
        </span>
      </li>
    </ol>
  );
};

/** Maximum number of links shown in a chain. */
export const MAX_LINKS = 4;

/**
 * A publication, preceded by the publications that it is waiting for, root cause first. A chain longer than
 * {@link MAX_LINKS} is cut off at its start.
 */
export interface Chain {
  readonly links: readonly Publication[];
  /** Number of hidden publications between the last two links; null if not known yet. */
  readonly between: number | null;
}

/** The receipt fields that show whether a publication is still ahead of another. */
interface Place {
  readonly sequence: number;
  readonly state: Publication['state'];
}

/** Counts a channel's queued or publishing publications with a sequence number between `first` and `own`, exclusive. */
export const countBetween = (receipts: readonly Place[], first: number, own: number): number =>
  receipts.filter(
    ({ sequence, state }) => sequence > first && sequence < own && (state === 'queued' || state === 'publishing'),
  ).length;

/**
 * Follows `blocked_by` from a publication toward the root cause of its wait, for at most {@link MAX_LINKS}
 * publications.
 */
const readLinks = async (publication: Publication): Promise<readonly Publication[]> => {
  const links = [publication];
  while (links.length < MAX_LINKS) {
    const id = links[0]?.waiting_for?.blocked_by ?? null;
    if (id === null || links.some((link) => link.id === id)) break;
    links.unshift(await management().get('/publications/{id}', { path: { id } }));
  }
  return links;
};

/**
 * Returns a publication with the publications that it is waiting for; only the publication itself until the others have
 * loaded.
 */
export const useChain = (publication: Publication): Chain => {
  const blockedBy = publication.waiting_for?.blocked_by ?? null;
  const mayRead = useMay('GET /channels/{id}/receipts');
  const links = useQuery({
    queryKey: ['publication', publication.id, 'chain', blockedBy],
    queryFn: () => readLinks(publication),
    enabled: blockedBy !== null,
  }).data;
  const first = links?.at(-2);
  const firstNumber = first?.sequence ?? 0;
  const ownNumber = publication.sequence ?? 0;
  const receipts = useQuery({
    queryKey: ['publication', publication.id, 'between', first?.sequence],
    queryFn: () =>
      management().get('/channels/{id}/receipts', {
        path: { id: publication.target_id },
        query: { from: String((first?.sequence ?? 0) + 1), limit: 200 },
      }),
    enabled: mayRead && first !== undefined && ownNumber - firstNumber > 1,
  }).data;
  if (blockedBy === null || !links || !first) return { links: [publication], between: 0 };
  const isAdjacent = ownNumber - firstNumber <= 1;
  return {
    links: [...links.slice(0, -1), publication],
    between: isAdjacent ? 0 : receipts ? countBetween(receipts.items, firstNumber, ownNumber) : null,
  };
};
