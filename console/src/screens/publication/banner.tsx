import { useState } from 'react';
import type { Api } from '../../api/management.js';
import type { Names } from '../../api/things.js';
import { channelUrl } from '../../channel-form/networks.js';
import { RetryButton } from '../../channels/retry-button.js';
import { Button, ButtonLink, ExternalLink } from '../../components/button.js';
import { useSave } from '../../components/form.js';
import { networkInText } from '../../components/icon.js';
import { GatewayText, SentenceText } from '../../components/sentence.js';
import { format, sentence } from '../../i18n/format.js';
import { ResumeDialog } from '../../pauses/pause-dialog.js';
import { CancelDialog, DismissDialog, ResendDialog, useSettle } from '../../publications/publication-dialogs.js';
import type { Publication } from '../../publications/states.js';
import { WaitingExplanation } from '../../publications/waiting.js';
import { useChain, WhyChain } from '../../publications/why-chain.js';
import { BannerFrame, isSeenTwice, PlannedBanner, TwiceBanner } from './planned-banner.js';
import { bannerMessages as m } from './planned-messages.js';
import { isTakenBack, WithdrawalBanner } from './withdrawal-banner.js';

interface BannerProps {
  readonly publication: Publication;
  readonly names: Names;
}

/**
 * Shows what a publication needs or is waiting for, with buttons to act on it, or that it was taken back. Renders nothing
 * if the publication is being sent or needs no action.
 */
export const Banner = ({ publication, post, names }: BannerProps & { readonly post: Api<'PostWithPayload'> }) => {
  const channel = names.channel(publication.target_id);
  if (isTakenBack(publication)) return <WithdrawalBanner publications={[publication]} names={names} isOfOne />;
  if (isSeenTwice(publication))
    return <TwiceBanner publication={publication} name={channel?.name ?? publication.target_id} />;
  if (publication.state === 'in_doubt') return <Doubt publication={publication} channel={channel} />;
  if (publication.state === 'failed') return <Failed publication={publication} />;
  if (publication.state === 'planned') return <PlannedBanner post={post} />;
  if (publication.state !== 'queued') return null;
  if (publication.waiting_for?.rule === 'needs_attention' && channel)
    return <Refused publication={publication} channel={channel} />;
  return <Waits publication={publication} names={names} />;
};

interface DoubtProps {
  readonly publication: Publication;
  readonly channel: Api<'Channel'> | undefined;
}

const Doubt = ({ publication, channel }: DoubtProps) => {
  const { save: confirm, isBusy } = useSave(useSettle(publication));
  const [isSending, setIsSending] = useState(false);
  const network = networkInText(publication.platform);
  const url = channel ? channelUrl(channel.platform, channel.address) : null;
  const says = publication.attempts.at(-1)?.error?.message;
  return (
    <BannerFrame
      icon="inDoubt"
      tone="doubt"
      title={m.doubtTitle}
      actions={
        <>
          {url !== null && (
            <ExternalLink href={url} look="primary">
              {m.openChannel}
            </ExternalLink>
          )}
          <Button needs="POST /publications/{id}/dismiss" busy={isBusy} onClick={confirm}>
            {m.wasPublished}
          </Button>
          <Button needs="POST /publications/{id}/resend" onClick={() => setIsSending(true)}>
            {m.sendAgain}
          </Button>
        </>
      }
    >
      <p>
        <SentenceText of={sentence(m.doubtText, { network })} />{' '}
        {channel && url === null && <SentenceText of={sentence(m.noUrl, { network })} />}
      </p>
      {says !== undefined && (
        <p className="tertiary">
          <bdi>{says}</bdi>
        </p>
      )}
      {isSending && <ResendDialog publication={publication} onClose={() => setIsSending(false)} />}
    </BannerFrame>
  );
};

const Failed = ({ publication }: { readonly publication: Publication }) => {
  const [dialog, setDialog] = useState<'resend' | 'dismiss' | null>(null);
  const error = publication.attempts.at(-1)?.error;
  const network = networkInText(publication.platform);
  const close = (): void => setDialog(null);
  return (
    <BannerFrame
      icon="failed"
      tone="fail"
      title={m.failedTitle}
      actions={
        <>
          <Button needs="POST /publications/{id}/resend" look="primary" onClick={() => setDialog('resend')}>
            {m.sendAgain}
          </Button>
          <Button needs="POST /publications/{id}/dismiss" onClick={() => setDialog('dismiss')}>
            {m.dismiss}
          </Button>
        </>
      }
    >
      {error && (
        <p className="banner-cause">
          <GatewayText text={error.message} />{' '}
          {error.platform_says && (
            <SentenceText of={sentence(m.says, { network, text: { name: error.platform_says } })} />
          )}
        </p>
      )}
      <p>{m.failedText}</p>
      {dialog === 'resend' && <ResendDialog publication={publication} onClose={close} />}
      {dialog === 'dismiss' && <DismissDialog publication={publication} onClose={close} />}
    </BannerFrame>
  );
};

const Refused = ({ publication, channel }: Pick<BannerProps, 'publication'> & { readonly channel: Api<'Channel'> }) => {
  const { attention, status } = channel;
  const network = networkInText(channel.platform);
  const codes = attention?.actions.map(({ code }) => code) ?? [];
  const isDisabled = status === 'disabled';
  const title = isDisabled
    ? m.disabledTitle
    : attention?.code.startsWith('credentials_')
      ? m.holdNoCredentials
      : m.holdTitle;
  const canRetry = !isDisabled && codes.includes('retry');
  return (
    <BannerFrame
      icon={isDisabled ? 'switchedOff' : 'onHold'}
      tone="warn"
      title={<SentenceText of={sentence(title, { network })} />}
      actions={
        <>
          {canRetry && <RetryButton channel={channel} isPrimary />}
          <ButtonLink
            needs="PATCH /channels/{id}"
            to="/channels/$id"
            params={{ id: channel.id }}
            look={canRetry ? 'plain' : 'primary'}
            search={codes.includes('replace_credentials') && !canRetry ? { credentials: '1' } : {}}
          >
            {m.fixChannel}
          </ButtonLink>
          <CancelButton publication={publication} />
        </>
      }
    >
      {isDisabled && <p>{m.disabledText}</p>}
      {attention?.platform_says && (
        <p>
          <SentenceText of={sentence(m.says, { network, text: { name: attention.platform_says } })} />
        </p>
      )}
      {attention && (
        <ul className="banner-steps">
          {attention.actions.map(({ code, message }) => (
            <li key={code}>
              <bdi>{message}</bdi>
            </li>
          ))}
        </ul>
      )}
    </BannerFrame>
  );
};

const Waits = ({ publication, names }: BannerProps) => {
  const chain = useChain(publication);
  const [isResuming, setIsResuming] = useState(false);
  const [isCancellingFirst, setIsCancellingFirst] = useState(false);
  const rule = publication.waiting_for?.rule;
  const channel = names.channel(publication.target_id);
  const project = names.project(publication.project_id);
  const paused =
    rule === 'channel_pause' && channel
      ? { ...channel, kind: 'channel' as const }
      : rule === 'project_pause' && project
        ? { ...project, kind: 'project' as const }
        : null;
  const first = chain.links.length > 1 ? chain.links[0] : undefined;
  return (
    <BannerFrame
      icon="waiting"
      tone="idle"
      title={m.waitsTitle}
      actions={
        <>
          {paused && (
            <Button needs={`POST /${paused.kind}s/{id}/resume`} onClick={() => setIsResuming(true)}>
              {m.resume}
            </Button>
          )}
          {first?.state === 'queued' && (
            <Button needs="POST /publications/{id}/cancel" onClick={() => setIsCancellingFirst(true)}>
              {m.cancelNumber(format.number(first.sequence ?? 0))}
            </Button>
          )}
          <CancelButton publication={publication} />
        </>
      }
    >
      <WhyChain chain={chain} names={names} />
      <WaitingExplanation publication={publication} names={names} />
      {isResuming && paused && <ResumeDialog thing={paused} onClose={() => setIsResuming(false)} />}
      {isCancellingFirst && first && (
        <CancelDialog publication={first} onClose={() => setIsCancellingFirst(false)} isOther />
      )}
    </BannerFrame>
  );
};

const CancelButton = ({ publication }: { readonly publication: Publication }) => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button needs="POST /publications/{id}/cancel" onClick={() => setIsOpen(true)}>
        {m.cancel}
      </Button>
      {isOpen && <CancelDialog publication={publication} onClose={() => setIsOpen(false)} />}
    </>
  );
};
