import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type Api, GatewayError, management, queryClient } from '../../../api/management.js';
import { useNames } from '../../../api/things.js';
import { Button, ExternalLink } from '../../../components/button.js';
import { TextField } from '../../../components/controls.js';
import { Form, useSave } from '../../../components/form.js';
import { Icon, NetworkMark } from '../../../components/icon.js';
import { networkInText, networkTitle } from '../../../components/networks.js';
import { format } from '../../../i18n/format.js';
import { shownState, StatePill } from '../../../publications/states.js';
import { WaitingReason, WaitingTime } from '../../../publications/waiting.js';
import { firstRunMessages } from './messages.js';
import { Step, type StepState } from './step.js';

/** The state of a post in each of its channels, with links to the published messages. */
export const PostProgress = ({ post, onLeave }: { readonly post: Api<'Post'>; readonly onLeave: () => void }) => {
  const { post: m } = firstRunMessages;
  const names = useNames();
  const isSettled = post.publications.some(({ state }) => state !== 'queued' && state !== 'publishing');
  return (
    <div className="post-progress" role="status">
      <ul>
        {post.publications.map((publication) => {
          const [url] = publication.urls;
          const { id, state, platform, target_id: channelId } = publication;
          return (
            <li key={id}>
              <NetworkMark platform={platform} />
              <bdi className="cut">{names.channel(channelId)?.name ?? networkTitle(platform)}</bdi>
              <StatePill state={shownState(publication)} />
              {state === 'queued' && (
                <span className="secondary">
                  <WaitingReason publication={publication} names={names} /> <WaitingTime publication={publication} />
                </span>
              )}
              {url !== undefined && (
                <ExternalLink href={url}>{m.onNetwork.replace('{network}', networkInText(platform))}</ExternalLink>
              )}
              {(state === 'failed' || state === 'in_doubt' || state === 'withdraw_failed' || state === 'queued') && (
                <Link className="link" to="/publications/$id" params={{ id }}>
                  {m.why}
                </Link>
              )}
            </li>
          );
        })}
      </ul>
      {isSettled && (
        <Button look="primary" onClick={onLeave}>
          {m.overview}
        </Button>
      )}
    </div>
  );
};

interface PostStepProps {
  readonly state: StepState;
  /** The console's own endpoint, once it exists. */
  readonly endpoint: Api<'Endpoint'> | undefined;
  /** Why there is no such endpoint; null if it exists, or will soon. */
  readonly error: Error | null;
  readonly post: Api<'Post'> | undefined;
  /** Posts left this month; null if unlimited. */
  readonly postsLeft: number | null;
  readonly onLeave: () => void;
}

/** Sends the first post, and then tracks its progress. */
export const PostStep = ({ state, endpoint, error, post, postsLeft, onLeave }: PostStepProps) => {
  const { post: m } = firstRunMessages;
  const [text, setText] = useState(m.defaultText);
  return (
    <Step number={2} state={state} title={m.title} text={m.text}>
      {state !== 'later' && endpoint && (
        <SendForm endpointId={endpoint.id} text={text} onText={setText} isAgain={post !== undefined} />
      )}
      {state !== 'later' && error !== null && (
        <p className="plan-note" role="alert">
          <Icon name="onHold" tone="warn" />
          <span>{error instanceof GatewayError ? error.errors.join(' ') : error.message}</span>
        </p>
      )}
      {post ? (
        <PostProgress post={post} onLeave={onLeave} />
      ) : (
        endpoint && (
          <p className="tertiary">
            {m.live} {postsLeft !== null && m.counts(format.number(postsLeft))}
          </p>
        )
      )}
    </Step>
  );
};

interface SendFormProps {
  readonly endpointId: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly isAgain: boolean;
}

const SendForm = ({ endpointId, text, onText, isAgain }: SendFormProps) => {
  const { post: m } = firstRunMessages;
  // Kept until the gateway accepts the post, so that a second click after a lost response does not post twice.
  const key = useRef(randomKey());
  const { save: send, isBusy } = useSave(async () => {
    await management().post('/endpoints/{id}/posts', {
      path: { id: endpointId },
      body: { text },
      idempotencyKey: key.current,
    });
    key.current = randomKey();
    await queryClient.invalidateQueries({ queryKey: ['posts'] });
  });
  return (
    <Form className="send-form" onSubmit={send}>
      <TextField
        label={m.field}
        value={text}
        required
        onChange={(value) => {
          key.current = randomKey();
          onText(value);
        }}
      />
      <Button type="submit" look={isAgain ? 'plain' : 'primary'} busy={isBusy}>
        {isAgain ? m.sendAnother : m.send}
      </Button>
    </Form>
  );
};

/** Returns a random key without `crypto.randomUUID`, which pages served over plain HTTP do not have. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
