import './compose.css';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { GatewayError } from '../../api/management.js';
import { endpointName } from '../../api/things.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { toast, toastError } from '../../components/toasts.js';
import { Editor } from '../../editor/editor.js';
import { format } from '../../i18n/format.js';
import { formatWhen as when, weekWith } from '../../planning/use-when.js';
import { useMay } from '../../session/rights.js';
import { useScope } from '../../session/session.js';
import { ButtonDialog, ButtonGrid, type ButtonPlace } from './buttons.js';
import { createDraft, textOf } from './draft.js';
import { ConflictNotice, DraftsButton, DraftState } from './drafts-dialog.js';
import { GoBar } from './go-bar.js';
import { canPublish, describeResult, type Destination, goLabel, headline } from './headline.js';
import { MediaList, MediumDialog } from './media.js';
import { composeMessages as m } from './messages.js';
import { Options } from './options.js';
import { ChangesCard, ConnectChannel, Previews } from './previews.js';
import { ProblemList, PublishError, showField } from './problem-list.js';
import { type Published, usePublish } from './publish.js';
import { removeDraft, useSavedDraft } from './saved-draft.js';
import { TextVersions, Tool, VersionNote } from './text-versions.js';
import { uploadMessages as u } from './upload-messages.js';
import { UploadTool } from './upload-tools.js';
import { useComposer } from './use-composer.js';
import { useVersions, type Wanted, withText } from './use-draft.js';
import { MAX_MEDIA, useUploads } from './use-uploads.js';

/** Breadcrumbs above the editor of a planned post. */
export const EditTrail = ({ postId }: { readonly postId: string }) => (
  <>
    <Link className="link" to="/plan">
      {m.plan}
    </Link>
    <span aria-hidden="true">/</span>
    <Link className="link" to="/posts/$id" params={{ id: postId }}>
      {m.plannedPost}
    </Link>
    <span aria-hidden="true">/</span>
    <span>{m.editing}</span>
  </>
);

/** True on devices with a mouse. On phones, focusing the text would open a keyboard that covers half of the screen. */
export const hasPointer = (): boolean => matchMedia('(pointer: fine)').matches;

interface ComposerProps {
  readonly scopeKey: string;
  readonly destinations: readonly Destination[];
  readonly wanted: Wanted;
  /** True while channels are still loading: the post can be written, but neither checked nor sent. */
  readonly isLoading?: boolean;
  /** What keeps posts from being published: a missing channel, or the error that kept the endpoint from being made. */
  readonly missing: 'channel' | Error | null;
}

/** Explains what is missing before anything can be published. */
const explainMissing = (
  missing: ComposerProps['missing'],
): { readonly title: string; readonly text: string } | null => {
  if (missing === null) return null;
  if (missing === 'channel') return { title: m.noChannelYet, text: m.noChannelYetText };
  const code = missing instanceof GatewayError ? missing.code : '';
  const said = missing instanceof GatewayError ? missing.errors.join(' ') : missing.message;
  return { title: code === 'plan_not_allowed' ? m.planNotAllowed : m.cannotPublishYet, text: said };
};

/** What became of the post that was sent before, until the next one is begun. */
const Sent = ({ id, said }: { readonly id: string | null; readonly said: string }) => (
  <>
    {said}{' '}
    {id !== null && (
      <Link className="link" to="/posts/$id" params={{ id }}>
        {m.viewSent}
      </Link>
    )}
  </>
);

/** The post editor with its options, the walls next to it, and the publish button. */
export const Composer = ({ scopeKey, destinations, wanted, isLoading = false, missing }: ComposerProps) => {
  const editedId = wanted.edited?.id ?? null;
  const isEdit = editedId !== null;
  const navigate = useNavigate();
  const composer = useComposer(scopeKey, destinations, wanted, isLoading);
  const { draft, update, clear, destination, payload, receiving, hasNothing, preview, walls, code } = composer;
  const { endpoint } = destination;
  const { isOperator, ownerId } = useScope();
  const mayApprove = useMay('POST /posts/{id}/approve');
  const fileOwner = destination.channels[0]?.owner_id ?? ownerId ?? '';
  const uploads = useUploads(fileOwner, draft.media, (media) => update({ media }));
  const isFull = draft.media.length + uploads.pending.length >= MAX_MEDIA;
  const isSending = uploads.pending.some(({ error: failed }) => failed === null);
  const [asked, setAsked] = useState<{ readonly button: ButtonPlace | null } | 'medium' | null>(null);
  const canSave = !isEdit && (!isOperator || ownerId !== null);
  const saved = useSavedDraft(draft, update, isOperator ? ownerId : null, canSave);
  const [sent, setSent] = useState<{ readonly id: string | null; readonly said: string } | null>(null);
  const onPublished = (result: Published): void => {
    saved.leave();
    clear();
    const { id, publish_at: at } = result;
    if (editedId !== null) {
      toast(result.state === 'planned' ? m.changed : m.changedAndReleased);
      return void navigate({ to: '/posts/$id', params: { id: editedId } });
    }
    // Users who came from the calendar return to it. Otherwise the focus must leave the button, which is now disabled.
    if (wanted.day !== undefined && at) void navigate({ to: '/plan', search: weekWith(at) });
    else if (hasPointer()) showField('text');
    const view =
      id === null ? undefined : { label: m.view, run: () => void navigate({ to: '/posts/$id', params: { id } }) };
    const said = describeResult(result, endpoint.requires_approval, m, when);
    toast(said, view);
    setSent({ id, said });
  };
  const publishing = usePublish(draft, update, endpoint.id, payload, editedId, onPublished);
  const { error } = publishing;
  const isRefused = error !== null && (error.status === 400 || error.status === 422);
  const problems = isRefused ? error.details : hasNothing ? [] : preview.problems;
  const isReady =
    !isLoading &&
    canPublish(destination) &&
    endpoint.id !== '' &&
    receiving.length > 0 &&
    !hasNothing &&
    problems.length === 0 &&
    !composer.hasBadTime;
  const canGo = isReady && !isSending && (!isEdit || composer.isChanged);
  const isBad = (path: string): boolean => problems.some((problem) => problem.path.startsWith(path));
  const versions = useVersions(draft, composer.platforms);
  const { title, text } = headline(
    {
      isLoading,
      isEmpty: hasNothing,
      channels: receiving.length,
      problems: problems.length,
      adjustments: preview.result === null ? null : walls.reduce((sum, { changes }) => sum + changes.length, 0),
      hasFailed: preview.error !== null,
      hasBadTime: composer.hasBadTime,
      isEdit,
      missing: explainMissing(missing),
      endpoint: {
        name: endpointName(endpoint),
        isLive: endpoint.mode === 'live',
        isActive: endpoint.is_active,
        needsApproval: endpoint.requires_approval,
        mayApprove,
      },
    },
    m,
  );
  const publish = (): void => {
    if (canGo) void publishing.publish();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    publish();
  };
  const discard = (): void => {
    saved.leave();
    clear();
    if (draft.saved) void removeDraft(draft.saved.id).catch(toastError);
    toast(isEdit ? m.discarded : m.cleared, { label: m.undo, run: () => update({ ...draft, saved: null }) });
  };
  return (
    <div onKeyDown={onKeyDown}>
      <PageHead
        {...(editedId !== null && { trail: <EditTrail postId={editedId} /> })}
        title={<span aria-live="polite">{title}</span>}
        actions={
          <>
            {missing === 'channel' && <ConnectChannel />}
            {(isEdit ? composer.isChanged : !hasNothing) && (
              <>
                {isEdit ? (
                  <span className="tertiary draft-kept">{m.draftKept}</span>
                ) : (
                  <DraftState state={saved.state} />
                )}
                <Button look="quiet" size="small" onClick={discard}>
                  {isEdit ? m.discard : m.clear}
                </Button>
              </>
            )}
            {!isEdit && (
              <DraftsButton
                draft={draft}
                saved={saved}
                onOpen={(next) => update(next ?? { ...createDraft(draft.endpointId), setId: draft.setId })}
              />
            )}
          </>
        }
      >
        {hasNothing && sent ? <Sent {...sent} /> : text}
        {!endpoint.is_active && (
          <ButtonLink size="small" to="/endpoints/$id" params={{ id: endpoint.id }}>
            {m.openEndpoint}
          </ButtonLink>
        )}
      </PageHead>
      <ConflictNotice
        saved={saved}
        onDiscard={() => {
          saved.leave();
          clear();
        }}
      />
      <div className="compose">
        <div className="compose-side" {...uploads.target}>
          <Card className={uploads.isOver ? 'compose-card is-over' : 'compose-card'} label={m.post}>
            {uploads.isOver && <p className="drop-hint">{u.drop}</p>}
            {versions.isShown && (
              <TextVersions
                draft={draft}
                platforms={composer.platforms}
                shown={versions.shown}
                onShow={versions.show}
              />
            )}
            <Editor
              key={versions.shown}
              value={textOf(draft, versions.shown)}
              onChange={(value) => update(withText(draft, versions.shown, value))}
              isInvalid={isBad(versions.path('text')) || isBad(versions.path('entities'))}
              isFocused={hasPointer() && !versions.isShown}
              tools={
                <>
                  <span className="tool-separator" />
                  <UploadTool uploads={uploads} isFull={isFull} />
                  <Tool icon="imageLink" label={m.addMedia} isFull={isFull} onClick={() => setAsked('medium')} />
                  <Tool icon="button" label={m.addButton} onClick={() => setAsked({ button: null })} />
                  <span className="tertiary compose-count" title="UTF-16">
                    {format.number(textOf(draft, versions.shown).text.length)}
                  </span>
                </>
              }
            />
            <VersionNote draft={draft} shown={versions.shown} update={update} />
            {draft.media.length + uploads.pending.length > 0 && (
              <MediaList
                uploads={uploads}
                media={draft.media}
                checked={preview.result?.validation.media ?? []}
                isBad={isBad}
                onChange={(media) => update({ media })}
              />
            )}
            <ButtonGrid rows={draft.buttons} isBad={isBad} onEdit={(button) => setAsked({ button })} />
            <Options
              draft={draft}
              destination={destination}
              destinations={destinations}
              isEdit={isEdit}
              isLoading={isLoading}
              update={update}
              onTailor={versions.isShown || composer.platforms.length < 2 ? null : versions.open}
            />
            {error && !isRefused && (
              <PublishError
                error={error}
                retryAt={publishing.retryAt}
                endpointId={endpoint.id}
                edited={editedId === null ? null : { id: editedId, reload: clear }}
              />
            )}
            {canPublish(destination) && (
              <GoBar
                label={goLabel(
                  composer,
                  { isEdit, isPending: wanted.edited?.isPending ?? false, isLoading },
                  m,
                  format,
                )}
                isPlanned={draft.when !== null}
                isBusy={publishing.isBusy}
                isReady={canGo}
                retryAt={publishing.retryAt}
                code={isEdit ? null : code}
                publish={publish}
              />
            )}
          </Card>
          {problems.length > 0 && <ProblemList draft={draft} problems={problems} onShow={versions.showField} />}
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
