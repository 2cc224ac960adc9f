import './compose.css';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Icon } from '../../components/icon.js';
import { Empty, ErrorState } from '../../components/states.js';
import { toast } from '../../components/toasts.js';
import { Editor } from '../../editor/editor.js';
import { useFormat } from '../../i18n/format.js';
import { useMessages } from '../../i18n/messages.js';
import { ButtonDialog } from './button-dialog.js';
import { ButtonGrid } from './button-grid.js';
import type { ButtonPlace } from './button-rows.js';
import { ChangesCard } from './changes-card.js';
import { canPublish, type Destination } from './destination.js';
import { ExactRequests } from './exact-requests.js';
import { GoBar } from './go-bar.js';
import { headline } from './headline.js';
import { MAX_MEDIA, MediaList } from './media-list.js';
import { MediumDialog } from './medium-dialog.js';
import { composeMessages } from './messages.js';
import { Options } from './options.js';
import { ProblemList } from './problem-list.js';
import { usePublish } from './publish.js';
import { PublishError } from './publish-error.js';
import { useComposer } from './use-composer.js';
import { EmptyWalls, Walls } from './walls.js';

/** True on devices with a pointer: a phone would cover half of the screen with its keyboard. */
const hasPointer = (): boolean => matchMedia('(pointer: fine)').matches;

/** The editor of a post with its options, the walls beside it, and the button that publishes it. */
export const Composer = ({
  scopeKey,
  destinations,
  wanted,
}: {
  readonly scopeKey: string;
  readonly destinations: readonly Destination[];
  /** Id of the endpoint that the screen was opened for. */
  readonly wanted: string | undefined;
}) => {
  const m = useMessages(composeMessages);
  const { number } = useFormat();
  const navigate = useNavigate();
  const composer = useComposer(scopeKey, destinations, wanted);
  const { draft, update, clear, destination, payload, receiving, hasNothing, preview, walls, code } = composer;
  const { endpoint } = destination;
  const [asked, setAsked] = useState<{ readonly button: ButtonPlace | null } | 'medium' | null>(null);
  const publishing = usePublish(draft, update, endpoint.id, payload, ({ id, queued_targets: count }) => {
    clear();
    const view =
      id === null ? undefined : { label: m.view, run: () => void navigate({ to: '/posts/$id', params: { id } }) };
    toast(m.queued(count), view);
  });
  const { error } = publishing;
  const isRefused = error !== null && (error.status === 400 || error.status === 422);
  const problems = isRefused ? error.details : hasNothing ? [] : preview.problems;
  const isReady = canPublish(destination) && receiving.length > 0 && !hasNothing && problems.length === 0;
  const isBad = (path: string): boolean => problems.some((problem) => problem.path.startsWith(path));
  const { title, text } = headline(
    {
      isEmpty: hasNothing,
      channels: receiving.length,
      problems: problems.length,
      adjustments: preview.result === null ? null : walls.reduce((sum, { changes }) => sum + changes.length, 0),
      hasFailed: preview.error !== null,
      endpoint: {
        name: endpoint.name ?? endpoint.slug,
        isLive: endpoint.mode === 'live',
        isActive: endpoint.is_active,
      },
    },
    m,
  );
  const publish = (): void => {
    if (isReady) void publishing.publish();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    publish();
  };
  const discard = (): void => {
    clear();
    toast(m.cleared, { label: m.undo, run: () => update(draft) });
  };
  return (
    <div onKeyDown={onKeyDown}>
      <PageHead
        title={<span aria-live="polite">{title}</span>}
        actions={
          !hasNothing && (
            <>
              <span className="tertiary draft-kept">{m.draftKept}</span>
              <Button look="quiet" size="small" onClick={discard}>
                {m.clear}
              </Button>
            </>
          )
        }
      >
        {text}{' '}
        {!endpoint.is_active && (
          <ButtonLink size="small" to="/endpoints/$id" params={{ id: endpoint.id }}>
            {m.openEndpoint}
          </ButtonLink>
        )}
      </PageHead>
      <div className="compose">
        <div className="compose-side">
          <Card className="compose-card" label={m.post}>
            <Editor
              value={draft.text}
              onChange={(value) => update({ text: value })}
              isInvalid={isBad('text') || isBad('entities')}
              isFocused={hasPointer()}
              tools={
                <>
                  <span className="tool-separator" />
                  <Tool
                    icon="image"
                    label={m.addMedia}
                    isFull={draft.media.length >= MAX_MEDIA}
                    onClick={() => setAsked('medium')}
                  />
                  <Tool icon="button" label={m.addButton} onClick={() => setAsked({ button: null })} />
                  <span className="tertiary compose-count" title="UTF-16">
                    {number(draft.text.text.length)}
                  </span>
                </>
              }
            />
            {draft.media.length > 0 && (
              <MediaList
                media={draft.media}
                checked={preview.result?.validation.media ?? []}
                isBad={isBad}
                onChange={(media) => update({ media })}
              />
            )}
            <ButtonGrid rows={draft.buttons} isBad={isBad} onEdit={(button) => setAsked({ button })} />
            <Options draft={draft} destination={destination} destinations={destinations} update={update} />
            {error && !isRefused && (
              <PublishError error={error} retryAt={publishing.retryAt} endpointId={endpoint.id} />
            )}
            {canPublish(destination) && (
              <GoBar
                channels={receiving.length}
                isBusy={publishing.isBusy}
                isReady={isReady}
                retryAt={publishing.retryAt}
                code={code}
                publish={publish}
              />
            )}
          </Card>
          {problems.length > 0 && <ProblemList problems={problems} />}
          {walls.length > 0 && problems.length === 0 && (
            <ChangesCard walls={walls} notes={composer.notes} putLinks={composer.putLinks} />
          )}
        </div>
        <div className="compose-previews">
          <Previews composer={composer} />
        </div>
      </div>
      {asked === 'medium' && (
        <MediumDialog
          medium={undefined}
          onSave={(medium) => update({ media: [...draft.media, medium] })}
          onClose={() => setAsked(null)}
        />
      )}
      {asked !== null && asked !== 'medium' && (
        <ButtonDialog
          rows={draft.buttons}
          place={asked.button}
          onSave={(buttons) => update({ buttons })}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
};

const Tool = ({
  icon,
  label,
  isFull = false,
  onClick,
}: {
  readonly icon: 'image' | 'button';
  readonly label: string;
  /** True: no more can be added. */
  readonly isFull?: boolean;
  readonly onClick: () => void;
}) => (
  <button
    type="button"
    className="tool"
    aria-label={label}
    title={label}
    tabIndex={-1}
    disabled={isFull}
    onClick={onClick}
  >
    <Icon name={icon} size={15} />
  </button>
);

const Previews = ({ composer }: { readonly composer: ReturnType<typeof useComposer> }) => {
  const m = useMessages(composeMessages);
  const { destination, receiving, walls, preview, code } = composer;
  const { endpoint, channels, projects } = destination;
  if (channels.length === 0) {
    return (
      <Card label={m.noChannels}>
        <Empty
          icon="channel"
          title={m.noChannels}
          action={
            projects.length > 0 ? (
              <ButtonLink to="/channels/new">{m.connectChannel}</ButtonLink>
            ) : (
              <ButtonLink to="/endpoints/$id" params={{ id: endpoint.id }}>
                {m.openEndpoint}
              </ButtonLink>
            )
          }
        >
          {m.noChannelsText}
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
      <Walls walls={walls} isStale={preview.isStale} />
      <ExactRequests walls={walls} code={code} environment={environment} />
    </>
  );
};
