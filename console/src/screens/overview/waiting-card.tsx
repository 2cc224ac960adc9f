import './waiting-card.css';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { WaitingPublication } from '../../api/overview.js';
import { type Names, useNames } from '../../api/things.js';
import { Card } from '../../components/card.js';
import { NetworkMark } from '../../components/icon.js';
import { Empty } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { WaitingExplanation, WaitingReason, WaitingTime } from '../../publications/waiting.js';
import { useChain, WhyChain } from '../../publications/why-chain.js';
import { overviewMessages as m } from './messages.js';

interface WaitingCardProps {
  readonly waiting: readonly WaitingPublication[];
  /** Total number of waiting publications. */
  readonly total: number;
}

/**
 * The publications that are next or have waited longest, each with a short reason. Clicking a publication opens the
 * full reason.
 */
export const WaitingCard = ({ waiting, total }: WaitingCardProps) => {
  const names = useNames();
  const [openId, setOpenId] = useState<string | null>(null);
  const all = (
    <Link to="/timeline" search={{ state: 'queued' }}>
      {total === 1 ? m.openTimeline : m.allWaiting(format.number(total))}
    </Link>
  );
  return (
    <Card title={m.waitingTitle} {...(total > 0 && { aside: all })}>
      {waiting.length === 0 ? (
        <Empty icon="published" title={m.waitingEmpty}>
          {m.waitingEmptyText}
        </Empty>
      ) : (
        <ul className="waits">
          {waiting.map((publication, index) => (
            <WaitingRow
              key={publication.id}
              publication={publication}
              names={names}
              follows={publication.waiting_for?.blocked_by === waiting[index - 1]?.id}
              isOpen={publication.id === openId}
              onToggle={() => setOpenId(publication.id === openId ? null : publication.id)}
            />
          ))}
        </ul>
      )}
    </Card>
  );
};

interface WaitingRowProps {
  readonly publication: WaitingPublication;
  readonly names: Names;
  /** True if the publication ahead is shown just above this one. */
  readonly follows: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

const WaitingRow = ({ publication, names, follows, isOpen, onToggle }: WaitingRowProps) => {
  const id = useId();
  return (
    <li>
      <button type="button" className="wait" aria-expanded={isOpen} aria-controls={id} title={m.why} onClick={onToggle}>
        <span className="wait-time">
          <WaitingTime publication={publication} />
        </span>
        <NetworkMark platform={publication.platform} />
        <bdi className="cut">{publication.excerpt ?? m.noText}</bdi>
        <span className="cut secondary wait-reason">
          <WaitingReason publication={publication} names={names} follows={follows} />
        </span>
      </button>
      {isOpen && (
        <div className="wait-why" id={id}>
          <Why publication={publication} names={names} />
        </div>
      )}
    </li>
  );
};

/** The full reason: the chain of publications ahead, back to the cause, and an explanation of this publication. */
const Why = ({ publication, names }: { readonly publication: WaitingPublication; readonly names: Names }) => {
  const chain = useChain(publication);
  return (
    <>
      {chain.links.length > 1 && <WhyChain chain={chain} names={names} />}
      <WaitingExplanation publication={publication} names={names} />
      <Link className="link" to="/publications/$id" params={{ id: publication.id }}>
        {m.openPublication}
      </Link>
    </>
  );
};
