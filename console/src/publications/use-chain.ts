import { useQuery } from '@tanstack/react-query';
import { management } from '../api/management.js';
import { type Chain, countBetween, MAX_LINKS } from './chain-links.js';
import type { Publication } from './states.js';

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
    enabled: first !== undefined && ownNumber - firstNumber > 1,
  }).data;
  if (blockedBy === null || !links || !first) return { links: [publication], between: 0 };
  const isAdjacent = ownNumber - firstNumber <= 1;
  return {
    links: [...links.slice(0, -1), publication],
    between: isAdjacent ? 0 : receipts ? countBetween(receipts.items, firstNumber, ownNumber) : null,
  };
};
