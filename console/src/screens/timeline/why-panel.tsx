import './why-panel.css';
import { useState } from 'react';
import type { Names } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { NetworkMark } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { ResumeDialog } from '../../pauses/pause-dialog.js';
import { CancelDialog } from '../../publications/publication-dialogs.js';
import { type Post, SEVERITY } from '../../publications/shown-state.js';
import { type Publication, shownState, StateGlyph } from '../../publications/states.js';
import { WaitingExplanation } from '../../publications/waiting.js';
import { useChain, WhyChain } from '../../publications/why-chain.js';
import { timelineMessages as m } from './messages.js';

/** Maximum number of channels to list for a post. */
const MAX_CHANNELS = 12;

interface WhyPanelProps {
  readonly id: string;
  readonly post: Post;
  /** The publication to explain. */
  readonly publication: Publication;
  readonly names: Names;
  readonly onChoose: (publication: Publication) => void;
}

/** The panel below a post's row: its channels, why the selected publication is waiting, and what to do about it. */
export const WhyPanel = ({ id, post, publication, names, onChoose }: WhyPanelProps) => {
  const sorted = post.publications.toSorted(
    (a, b) => SEVERITY.indexOf(shownState(a)) - SEVERITY.indexOf(shownState(b)),
  );
  const listed = post.publications.length > MAX_CHANNELS ? sorted.slice(0, MAX_CHANNELS) : post.publications;
  const rest = post.publications.length - listed.length;
  return (
    <div className="why" id={id}>
      <div className="why-channels" role="group" aria-label={m.channelsOfPost}>
        {listed.map((each) => (
          <button
            key={each.id}
            type="button"
            className="why-channel"
            aria-pressed={each.id === publication.id}
            onClick={() => onChoose(each)}
          >
            <NetworkMark platform={each.platform} size={16} />
            <bdi className="cut">{names.channel(each.target_id)?.name ?? each.target_id}</bdi>
            <StateGlyph state={shownState(each)} size={14} />
          </button>
        ))}
        {rest > 0 && <span className="tertiary">{m.noMore(rest)}</span>}
      </div>
      <Explanation key={publication.id} publication={publication} names={names} />
    </div>
  );
};

/** States whose own button opens the publication. */
const ASKS: ReadonlySet<Publication['state']> = new Set(['in_doubt', 'failed', 'withdraw_failed']);

const Explanation = ({ publication, names }: { readonly publication: Publication; readonly names: Names }) => {
  const chain = useChain(publication);
  const isWaiting = publication.state === 'queued';
  return (
    <>
      {isWaiting && <WhyChain chain={chain} names={names} />}
      <div className="why-text">
        <WaitingExplanation publication={publication} names={names} />
      </div>
      <div className="why-actions">
        <Actions publication={publication} first={chain.links.length > 1 ? chain.links[0] : undefined} names={names} />
        <ButtonLink size="small" to="/posts/$id" params={{ id: publication.post_id }}>
          {m.openPost}
        </ButtonLink>
        <ButtonLink size="small" to="/compose" search={{ again: publication.post_id }}>
          {m.useAgain}
        </ButtonLink>
        {!ASKS.has(publication.state) && (
          <ButtonLink size="small" to="/publications/$id" params={{ id: publication.id }}>
            {m.openPublication}
          </ButtonLink>
        )}
      </div>
    </>
  );
};

interface ActionsProps {
  readonly publication: Publication;
  readonly first: Publication | undefined;
  readonly names: Names;
}

/** Buttons that end a publication's wait or settle it. @param first the publication at the head of the chain, if any */
const Actions = ({ publication, first, names }: ActionsProps) => {
  const [dialog, setDialog] = useState<'cancel' | 'cancelFirst' | 'resume' | null>(null);
  const { id, state, target_id: channelId, project_id: projectId, waiting_for: waitingFor } = publication;
  const channel = names.channel(channelId);
  const project = names.project(projectId);
  const close = (): void => setDialog(null);
  const paused =
    waitingFor?.rule === 'channel_pause' && channel
      ? { ...channel, kind: 'channel' as const }
      : waitingFor?.rule === 'project_pause' && project
        ? { ...project, kind: 'project' as const }
        : null;
  return (
    <>
      {state === 'in_doubt' && (
        <ButtonLink size="small" to="/publications/$id" params={{ id }}>
          {m.resolve}
        </ButtonLink>
      )}
      {(state === 'failed' || state === 'withdraw_failed') && (
        <ButtonLink size="small" to="/publications/$id" params={{ id }}>
          {m.seeWhy}
        </ButtonLink>
      )}
      {waitingFor?.rule === 'needs_attention' && (
        <ButtonLink needs="PATCH /channels/{id}" size="small" to="/channels/$id" params={{ id: channelId }}>
          {m.fix}
        </ButtonLink>
      )}
      {paused && (
        <Button needs={`POST /${paused.kind}s/{id}/resume`} size="small" onClick={() => setDialog('resume')}>
          {m.resume}
        </Button>
      )}
      {first?.state === 'queued' && (
        <Button needs="POST /publications/{id}/cancel" size="small" onClick={() => setDialog('cancelFirst')}>
          {m.cancelNumber(format.number(first.sequence ?? 0))}
        </Button>
      )}
      {state === 'queued' && (
        <Button needs="POST /publications/{id}/cancel" size="small" onClick={() => setDialog('cancel')}>
          {m.cancel}
        </Button>
      )}
      {dialog === 'cancel' && <CancelDialog publication={publication} onClose={close} />}
      {dialog === 'cancelFirst' && first && <CancelDialog publication={first} onClose={close} isOther />}
      {dialog === 'resume' && paused && <ResumeDialog thing={paused} onClose={close} />}
    </>
  );
};
