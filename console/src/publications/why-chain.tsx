import './why-chain.css';
import { Link } from '@tanstack/react-router';
import type { Names } from '../api/things.js';
import { Icon } from '../components/icon.js';
import { format } from '../i18n/format.js';
import { defineMessages, pluralRu } from '../i18n/messages.js';
import type { Chain } from './chain-links.js';
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

/** Explains a publication's wait as a chain, from the root cause to the publication itself. */
export const WhyChain = ({
  chain: { links, between },
  names,
}: {
  readonly chain: Chain;
  readonly names: Pick<Names, 'channel' | 'project'>;
}) => {
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
