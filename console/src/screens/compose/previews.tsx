import { Link } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import type { Api } from '../../api/management.js';
import { ButtonLink } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { CodeSwitcher, Json } from '../../components/code.js';
import { Segmented, Select } from '../../components/controls.js';
import { Icon, NetworkMark, networkTitle } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import { Empty, ErrorState } from '../../components/states.js';
import { useIsPhone } from '../../components/use-is-phone.js';
import { format } from '../../i18n/format.js';
import type { PublishCode } from '../../publish-code/publish-code.js';
import { useNow } from '../../time/server-clock.js';
import { emptyWall, type NetworkPreview, ownLimit, readWall, wallMessages as w } from '../../walls/read-wall.js';
import { WallCard } from '../../walls/wall-card.js';
import { changeMessages as changeTexts } from './change-messages.js';
import type { Change, PreviewedWall } from './find-changes.js';
import { composeMessages as m } from './messages.js';
import type { useComposer } from './use-composer.js';

interface ExactRequestsProps {
  readonly walls: readonly NetworkWall[];
  /** Null if a program cannot publish the same post. */
  readonly code: PublishCode | null;
  /** Names of the environment variables that the code needs. */
  readonly environment: readonly string[];
}

/** The calls that publishing would make to each network, and code that publishes the same post from a program. */
export const ExactRequests = ({ walls, code, environment }: ExactRequestsProps) => {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = walls.find(({ wall }) => wall.platform === chosen) ?? walls[0];
  const counts = walls.map(({ wall: { platform }, preview }) => ({
    value: platform,
    label: `${networkTitle(platform)} ${format.number(preview.requests.length)}`,
  }));
  return (
    <section className={`card compose-requests ${isOpen ? 'open' : ''}`} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
            {m.requests}
          </button>
        </h2>
        <div className="card-aside tertiary">
          {isOpen && shown ? (
            <Segmented label={m.requestsOf} value={shown.wall.platform} options={counts} onChange={setChosen} />
          ) : (
            <span className="cut">{counts.map(({ label }) => label).join(' · ')}</span>
          )}
        </div>
      </header>
      {isOpen && (
        <div className="card-body" id={id}>
          {shown && <Calls calls={shown.preview.requests} channels={shown.channels} />}
          <h3>{m.sameFromCode}</h3>
          {code ? (
            <>
              <CodeSwitcher code={code} />
              <p className="tertiary">{m.codeEnvironment(format.list(environment))}</p>
            </>
          ) : (
            <p className="tertiary">
              {m.ownCodeText}{' '}
              <Link className="link" to="/endpoints">
                {m.connectProgram}
              </Link>
            </p>
          )}
        </div>
      )}
    </section>
  );
};

interface CallsProps {
  readonly calls: NetworkWall['preview']['requests'];
  readonly channels: readonly Api<'Channel'>[];
}

const Calls = ({ calls, channels }: CallsProps) => {
  const several = new Set(calls.map(({ target_id: targetId }) => targetId)).size > 1;
  return (
    <ol className="compose-calls">
      {calls.map(({ method, request, target_id: targetId }, index) => (
        <li key={index}>
          <div className="compose-call">
            <b className="mono">{method}</b>
            {several && <bdi className="cut tertiary">{channels.find((each) => each.id === targetId)?.name}</bdi>}
          </div>
          <Json value={request} />
        </li>
      ))}
    </ol>
  );
};

/** A network's wall with its channels, and the changes on it. */
export interface NetworkWall extends PreviewedWall {
  readonly channels: readonly Api<'Channel'>[];
  readonly changes: readonly Change[];
  /** Returns the preview of a channel, which may have its own content. */
  readonly previewOf: (channelId: string) => NetworkPreview;
}

/** A row of walls. On phones, people swipe through it, and it can be focused so that the keyboard scrolls it. */
const WallRow = ({ children }: { readonly children: ReactNode }) => {
  const isPhone = useIsPhone();
  return (
    <div className="compose-walls" {...(isPhone && { role: 'group', 'aria-label': m.preview, tabIndex: 0 })}>
      {children}
    </div>
  );
};

interface WallsProps {
  readonly walls: readonly NetworkWall[];
  readonly isStale: boolean;
  /** When the post will be published, in ms since 1970; null for now. */
  readonly at: number | null;
}

/** One wall for each network that receives the post. On phones, users swipe between the walls. */
export const Walls = ({ walls, isStale, at }: WallsProps) => {
  const now = useNow(60_000);
  return (
    <WallRow>
      {walls.map((each) => (
        <OneWall key={each.wall.platform} {...each} isStale={isStale} at={at ?? now} />
      ))}
    </WallRow>
  );
};

const OneWall = ({
  previewOf,
  wall: first,
  channels,
  changes,
  isStale,
  at,
}: NetworkWall & { readonly isStale: boolean; readonly at: number }) => {
  const [chosen, setChosen] = useState<string | null>(null);
  const channel = channels.find(({ id }) => id === chosen) ?? channels[0]!;
  const wall =
    channel === channels[0] ? first : readWall(first.platform, previewOf(channel.id), channel.id, ownLimit(channel));
  const seen = changes.filter(({ channelId }) => channelId === undefined || channelId === channel.id);
  return (
    <WallCard
      wall={wall}
      channel={channel}
      at={at}
      isStale={isStale}
      aside={
        channels.length > 1 && (
          <Select
            className="wall-channel"
            aria-label={m.channelOfPreview}
            value={channel.id}
            onChange={(event) => setChosen(event.target.value)}
          >
            {channels.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )
      }
    >
      <div className={`degradations ${seen.length === 0 ? 'tone-ok' : 'tone-warn'}`}>
        {seen.length === 0 ? (
          <span>
            <Icon name="check" size={12} /> {w.asWritten}
          </span>
        ) : (
          seen.map(({ tag }, index) => (
            <span key={index}>
              <Icon name="onHold" size={12} /> {tag}
            </span>
          ))
        )}
      </div>
    </WallCard>
  );
};

/** Empty walls, shown until there is a preview. */
export const EmptyWalls = ({ channels }: { readonly channels: readonly Api<'Channel'>[] }) => {
  const now = useNow(60_000);
  const platforms = [...new Set(channels.map(({ platform }) => platform))];
  return (
    <WallRow>
      {platforms.map((platform) => (
        <WallCard
          key={platform}
          wall={emptyWall(platform)}
          channel={channels.find((channel) => channel.platform === platform)!}
          at={now}
          hint={m.yourText}
        />
      ))}
    </WallRow>
  );
};

/** Leads to the form that connects a channel, and from there back to the post. */
export const ConnectChannel = () => (
  <ButtonLink to="/channels/new" search={{ for: 'post' }} icon="plus" look="primary">
    {m.connectChannel}
  </ButtonLink>
);

/** The walls of the post and its exact requests, or an explanation of why there are none. */
export const Previews = ({ composer }: { readonly composer: ReturnType<typeof useComposer> }) => {
  const { destination, receiving, walls, preview, code } = composer;
  const { endpoint, channels } = destination;
  if (channels.length === 0) {
    const title = endpoint.is_console ? m.setEmpty : m.noChannels;
    return (
      <Card label={title}>
        <Empty
          icon="channel"
          title={title}
          action={
            !endpoint.is_console && (
              <ButtonLink to="/endpoints/$id" params={{ id: endpoint.id }}>
                {m.openEndpoint}
              </ButtonLink>
            )
          }
        >
          {endpoint.is_console ? m.setEmptyText : m.noChannelsText}
        </Empty>
      </Card>
    );
  }
  if (walls.length === 0 && preview.error !== null) {
    return (
      <Card label={m.preview}>
        <ErrorState error={preview.error} />
      </Card>
    );
  }
  if (walls.length === 0) return <EmptyWalls channels={receiving} />;
  const environment = ['TOKEN', ...(endpoint.require_signature ? ['SIGNING_SECRET'] : [])];
  return (
    <>
      <Walls walls={walls} isStale={preview.isStale} at={composer.at} />
      <ExactRequests walls={walls} code={code} environment={environment} />
    </>
  );
};

/** A note about something other than a change to the post, for example that a channel is on hold. */
export interface Note {
  readonly platform: string | null;
  readonly text: string;
  /** True for a sentence from the gateway. */
  readonly isQuoted?: boolean;
}

interface ChangesCardProps {
  readonly walls: readonly NetworkWall[];
  readonly notes: readonly Note[];
  /** Adds the buttons' links to the text. */
  readonly putLinks: () => void;
}

/** Explains what each network changes in the post, and what else to know before publishing. */
export const ChangesCard = ({ walls, notes, putLinks }: ChangesCardProps) => {
  const count = walls.reduce((sum, { changes }) => sum + changes.length, 0);
  const changed = walls.filter(({ changes }) => changes.length > 0);
  return (
    <Card className="compose-changes" title={changeTexts.title} {...(count > 0 && { aside: changeTexts.count(count) })}>
      <ul>
        {count === 0 && (
          <li>
            <Icon name="check" tone="ok" />
            <span>{changeTexts.none}</span>
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
                  {changeTexts.putLinks}
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
