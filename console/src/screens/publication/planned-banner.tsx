import './banner.css';
import { type ReactNode, useId, useState } from 'react';
import type { Api } from '../../api/management.js';
import { Button, ButtonLink, ExternalLink } from '../../components/button.js';
import { useSave } from '../../components/form.js';
import { Icon, type IconName, networkInText, type Tone } from '../../components/icon.js';
import { SentenceText } from '../../components/sentence.js';
import { Countdown } from '../../components/time.js';
import { toast } from '../../components/toasts.js';
import { format, sentence } from '../../i18n/format.js';
import { useApprovers } from '../../planning/approvers.js';
import { planningMessages as p } from '../../planning/messages.js';
import { CancelPlannedDialog, MoveDialog, PublishNowDialog } from '../../planning/move-dialog.js';
import { isPlanned, needsApproval } from '../../planning/planned-posts.js';
import { ReviewDialog } from '../../planning/review-dialog.js';
import { formatWhen as when } from '../../planning/use-when.js';
import { dismissDuplicate } from '../../publications/publication-calls.js';
import type { Publication } from '../../publications/states.js';
import { useMay } from '../../session/rights.js';
import { useTrace } from './history-card.js';
import { publicationMessages as shared } from './messages.js';
import { payloadTitle } from './payload-title.js';
import { bannerMessages as twiceTexts, plannedMessages as m } from './planned-messages.js';
import { eventsOf, member } from './story.js';

interface BannerFrameProps {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly title: ReactNode;
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/** A box above the content that shows what a post or publication is waiting for, with buttons to resolve it. */
export const BannerFrame = ({ icon, tone, title, actions, children }: BannerFrameProps) => {
  const id = useId();
  return (
    <section className={`card banner tone-${tone}`} aria-labelledby={id}>
      <Icon name={icon} tone={tone} size={20} />
      <div className="banner-text">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      <div className="banner-actions">{actions}</div>
    </section>
  );
};

/** Shows when a planned post goes out, or that it is waiting for approval, with buttons to change that. */
export const PlannedBanner = ({ post }: { readonly post: Api<'PostWithPayload'> }) => {
  const [dialog, setDialog] = useState<'move' | 'now' | 'cancel' | 'review' | null>(null);
  const mayApprove = useMay('POST /posts/{id}/approve');
  const isPending = needsApproval(post);
  const approvers = useApprovers(isPending)(post.endpoint_id);
  if (!isPlanned(post)) return null;
  const { publish_at: at, approval } = post;
  const close = (): void => setDialog(null);
  const others =
    approvers === null ? (
      m.waitsForOthers
    ) : (
      <SentenceText of={sentence(m.waitsForApprovers, { who: { name: approvers } })} />
    );
  const title = isPending ? (mayApprove ? m.waitsForApproval : others) : at === null ? m.soon : m.goesOut(when(at));
  return (
    <BannerFrame
      icon={isPending ? 'person' : 'calendar'}
      tone={isPending ? 'warn' : 'time'}
      title={title}
      actions={
        <>
          {isPending && (
            <Button needs="POST /posts/{id}/approve" look="primary" onClick={() => setDialog('review')}>
              {p.review}
            </Button>
          )}
          {!isPending && (
            <Button needs="PATCH /posts/{id}" onClick={() => setDialog('now')}>
              {p.publishNow}
            </Button>
          )}
          <Button needs="PATCH /posts/{id}" onClick={() => setDialog('move')}>
            {at === null ? m.giveTime : p.move}
          </Button>
          {post.payload !== null && (
            <ButtonLink to="/compose" search={{ post: post.id }}>
              {p.edit}
            </ButtonLink>
          )}
          <Button needs="POST /posts/{id}/cancel" onClick={() => setDialog('cancel')}>
            {p.cancel}
          </Button>
        </>
      }
    >
      <p>
        {isPending ? (at === null ? p.approvedGoesNow : p.approvedGoesAt(when(at))) : m.byItself}{' '}
        {at !== null && !isPending && <Countdown until={at} />}
      </p>
      {approval?.state === 'approved' && (
        <p>
          {m.approved}
          {approval.note !== null && (
            <>
              {': '}
              <bdi>{approval.note}</bdi>
            </>
          )}
        </p>
      )}
      {dialog === 'move' && <MoveDialog post={post} title={payloadTitle(post, shared.media)} onClose={close} />}
      {dialog === 'now' && <PublishNowDialog post={post} onClose={close} />}
      {dialog === 'cancel' && <CancelPlannedDialog post={post} onClose={close} />}
      {dialog === 'review' && <ReviewDialog postId={post.id} onClose={close} />}
    </BannerFrame>
  );
};

interface UnreleasedEndProps {
  readonly post: Pick<Api<'PostWithPayload'>, 'approval' | 'released_at' | 'publications'>;
}

/** Shows that a planned post was rejected (and why) or cancelled before release. Renders nothing for other posts. */
export const UnreleasedEnd = ({ post: { approval, released_at: releasedAt, publications } }: UnreleasedEndProps) => {
  const isRejected = approval?.state === 'rejected';
  const isCancelled = releasedAt === null && publications.every(({ state }) => state === 'dismissed');
  if (!isRejected && !isCancelled) return null;
  return (
    <BannerFrame icon="dismissed" tone="idle" title={isRejected ? m.rejected : m.wasCancelled} actions={null}>
      {isRejected && approval.note !== null ? (
        <p>
          {m.rejectedBecause}: <bdi>{approval.note}</bdi>
        </p>
      ) : (
        <p>{m.neverPublished}</p>
      )}
    </BannerFrame>
  );
};

/** True while a duplicate of the publication has not been dismissed. */
export const isSeenTwice = ({ warnings }: Pick<Publication, 'warnings'>): boolean =>
  warnings.some(({ code }) => code === 'published_twice');

/** Shows both messages of a publication that readers see twice, with a button to dismiss the duplicate. */
export const TwiceBanner = ({ publication, name }: { readonly publication: Publication; readonly name: string }) => {
  const trace = useTrace(publication.id).data;
  // Only the events have the links of duplicates.
  const found = eventsOf(trace?.events ?? [], publication).filter(({ type }) => type === 'PublicationDuplicateFound');
  const copies = [publication.message_ids, ...publication.duplicates.map(({ message_ids: ids }) => ids)];
  const links = [publication.urls, ...found.map((event) => (member(event, 'urls') ?? []) as readonly string[])];
  const { save: dismiss, isBusy } = useSave(async () => {
    await dismissDuplicate(publication.id);
    toast(twiceTexts.duplicateDismissed);
  });
  return (
    <BannerFrame
      icon="published"
      tone="warn"
      title={twiceTexts.twiceTitle}
      actions={
        <Button needs="POST /publications/{id}/dismiss-duplicate" busy={isBusy} onClick={dismiss}>
          {twiceTexts.dismissDuplicate}
        </Button>
      }
    >
      <p>
        <SentenceText
          of={sentence(twiceTexts.twiceText, { channel: { name }, network: networkInText(publication.platform) })}
        />
      </p>
      <ul className="banner-steps">
        {copies.map((ids, index) => (
          <li key={ids.join(' ')}>
            {links[index]?.[0] === undefined ? (
              <bdi>{twiceTexts.messageById(ids.join(', '))}</bdi>
            ) : (
              <ExternalLink href={links[index][0]}>{twiceTexts.openMessage(format.number(index + 1))}</ExternalLink>
            )}
          </li>
        ))}
      </ul>
    </BannerFrame>
  );
};
