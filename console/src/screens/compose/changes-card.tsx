import { Card } from '../../components/card.js';
import { Icon, NetworkMark } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import { changeMessages as m } from './change-messages.js';
import type { NetworkWall } from './walls.js';

/** A note about something other than a change to the post, for example that a channel is on hold. */
export interface Note {
  readonly platform: string | null;
  readonly text: string;
  /** True for a sentence from the gateway. */
  readonly isQuoted?: boolean;
}

/** Explains what each network changes in the post, and what else to know before publishing. */
export const ChangesCard = ({
  walls,
  notes,
  putLinks,
}: {
  readonly walls: readonly NetworkWall[];
  readonly notes: readonly Note[];
  /** Adds the buttons' links to the text. */
  readonly putLinks: () => void;
}) => {
  const count = walls.reduce((sum, { changes }) => sum + changes.length, 0);
  const changed = walls.filter(({ changes }) => changes.length > 0);
  return (
    <Card className="compose-changes" title={m.title} {...(count > 0 && { aside: m.count(count) })}>
      <ul>
        {count === 0 && (
          <li>
            <Icon name="check" tone="ok" />
            <span>{m.none}</span>
          </li>
        )}
        {changed.map(({ wall: { platform }, channels, changes }) => (
          <li key={platform}>
            <NetworkMark platform={platform} size={16} />
            <span>
              {changes.map(({ text, reason, channelId }, index) => (
                <span key={index}>
                  {channelId !== undefined && <bdi>{channels.find(({ id }) => id === channelId)?.name}: </bdi>}
                  <bdi>{text}</bdi> {reason !== undefined && <GatewayText text={reason} />}{' '}
                </span>
              ))}
              {changes.some(({ code }) => code === 'buttons_ignored') && (
                <button type="button" className="link" onClick={putLinks}>
                  {m.putLinks}
                </button>
              )}
            </span>
          </li>
        ))}
        {notes.map(({ platform, text, isQuoted }, index) => (
          <li key={index}>
            {platform === null ? <Icon name="waiting" /> : <NetworkMark platform={platform} size={16} />}
            <span>{isQuoted === true ? <GatewayText text={text} /> : text}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
};
