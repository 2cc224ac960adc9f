import './compose.css';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { toast } from '../../components/toasts.js';
import { Editor } from '../../editor/editor.js';
import { useFormat } from '../../i18n/format.js';
import { useMessages } from '../../i18n/messages.js';
import { ButtonDialog } from './button-dialog.js';
import { ButtonGrid } from './button-grid.js';
import type { ButtonPlace } from './button-rows.js';
import { ChangesCard } from './changes-card.js';
import { showField } from './fields.js';
import { canPublish, type Destination } from './destination.js';
import { GoBar } from './go-bar.js';
import { headline } from './headline.js';
import { MAX_MEDIA, MediaList } from './media-list.js';
import { MediumDialog } from './medium-dialog.js';
import { composeMessages } from './messages.js';
import { Options } from './options.js';
import { Previews } from './previews.js';
import { ProblemList } from './problem-list.js';
import { usePublish } from './publish.js';
import { PublishError } from './publish-error.js';
import { Tool } from './tool.js';
import { useComposer } from './use-composer.js';

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
    // The button that had the focus is disabled now.
    if (hasPointer()) showField('text');
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
          {problems.length > 0 && <ProblemList draft={draft} problems={problems} />}
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
