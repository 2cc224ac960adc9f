import './compose.css';
import './content-editor.css';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { type Api, GatewayError } from '../../api/management.js';
import { Button } from '../../components/button.js';
import { Card, PageHead } from '../../components/card.js';
import { Icon } from '../../components/icon.js';
import { GatewayText } from '../../components/sentence.js';
import { toast } from '../../components/toasts.js';
import { Editor } from '../../editor/editor.js';
import { format } from '../../i18n/format.js';
import { contentOf, editPost } from '../../publications/edit-calls.js';
import { ButtonDialog, ButtonGrid, type ButtonPlace } from './buttons.js';
import { hasPointer } from './composer.js';
import { type Draft, isEmpty, textOf, toPayload } from './draft.js';
import { editMessages as e } from './edit-messages.js';
import { EditOutcomes } from './edit-outcomes.js';
import { GoBar } from './go-bar.js';
import { MediaList, MediumDialog } from './media.js';
import { composeMessages as m } from './messages.js';
import { ProblemList } from './problem-list.js';
import { TextVersions, Tool, VersionNote } from './text-versions.js';
import { uploadMessages as u } from './upload-messages.js';
import { UploadTool } from './upload-tools.js';
import { useDraft, useVersions, withText } from './use-draft.js';
import { type EditCheck, useEditCheck } from './use-edit-check.js';
import { MAX_MEDIA, useUploads } from './use-uploads.js';

interface Standing extends EditCheck {
  readonly hasNothing: boolean;
  readonly isChanged: boolean;
  /** Number of channels that the edit reaches. */
  readonly reached: number;
}

/** Says in one sentence how the edit stands. */
const titleOf = ({
  hasNothing,
  isChanged,
  isOutdated,
  error,
  isStale,
  problems,
  reached,
  outcomes,
}: Standing): string => {
  if (hasNothing) return e.empty;
  if (!isChanged) return e.begin;
  if (isOutdated) return e.outdated;
  if (error) return e.refused;
  if (isStale) return e.checking;
  if (problems.length > 0) return e.problems;
  if (reached > 0) return e.changes(reached, outcomes.size);
  return [...outcomes.values()].some(({ kind }) => kind === 'same') ? e.same : e.none;
};

interface ContentEditorProps {
  readonly post: Api<'PostWithPayload'>;
  /** The post's newest content. */
  readonly original: Draft;
}

/** The editor for the content of a released post. It says for each channel what an edit does there. */
export const ContentEditor = ({ post, original }: ContentEditorProps) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const {
    draft,
    isChanged: isKept,
    update,
    clear,
  } = useDraft('', {
    edited: { id: post.id, draft: original, isPending: false },
  });
  const uploads = useUploads(post.owner_id, draft.media, (media) => update({ media }));
  const isFull = draft.media.length + uploads.pending.length >= MAX_MEDIA;
  const isSending = uploads.pending.some(({ error: uploadError }) => uploadError === null);
  const [asked, setAsked] = useState<{ readonly button: ButtonPlace | null } | 'medium' | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<{ readonly content: string; readonly error: GatewayError } | null>(null);
  const content = contentOf(toPayload(draft, []));
  const body = JSON.stringify(content);
  const isChanged = isKept && body !== JSON.stringify(contentOf(toPayload(original, [])));
  const revision = draft.revision ?? post.revision;
  const hasNothing = isEmpty(draft);
  const check = useEditCheck(post, revision, isChanged && !hasNothing ? content : null);
  const failed = failure?.content === body ? failure.error : null;
  const isOutdated = (isChanged && check.isOutdated) || failed?.status === 412;
  const error = failed?.status === 412 || failed?.code === 'not_editable' ? null : (failed ?? check.error);
  const platforms = [...new Set(post.publications.map(({ platform }) => platform))];
  const versions = useVersions(draft, platforms);
  const all = [...check.outcomes.values()];
  const reached = all.filter(({ kind }) => kind === 'edited' || kind === 'later' || kind === 'afterwards').length;
  const isReady =
    isChanged &&
    !hasNothing &&
    !check.isStale &&
    !isOutdated &&
    check.problems.length === 0 &&
    reached > 0 &&
    !isBusy &&
    !isSending;
  const isBad = (path: string): boolean => check.problems.some((problem) => problem.path.startsWith(path));
  const title = titleOf({ ...check, hasNothing, isChanged, isOutdated, error, reached });
  const save = async (): Promise<void> => {
    if (!isReady) return;
    setIsBusy(true);
    try {
      await editPost(post.id, revision, content);
      clear();
      toast(e.saved(reached));
      void navigate({ to: '/posts/$id', params: { id: post.id } });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      setFailure({ content: body, error: thrown });
    } finally {
      setIsBusy(false);
    }
  };
  const load = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['post', post.id] });
    clear();
    setFailure(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void save();
  };
  const discard = (): void => {
    clear();
    toast(m.discarded, { label: m.undo, run: () => update(draft) });
  };
  return (
    <div onKeyDown={onKeyDown}>
      <PageHead
        trail={
          <>
            <Link className="link" to="/posts/$id" params={{ id: post.id }}>
              {e.post}
            </Link>
            <span aria-hidden="true">/</span>
            <span>{m.editing}</span>
          </>
        }
        title={<span aria-live="polite">{title}</span>}
        actions={
          isChanged && (
            <>
              <span className="tertiary draft-kept">{m.draftKept}</span>
              <Button look="quiet" size="small" onClick={discard}>
                {m.discard}
              </Button>
            </>
          )
        }
      >
        {e.summary}
      </PageHead>
      <div className="compose">
        <div className="compose-side" {...uploads.target}>
          <Card className={uploads.isOver ? 'compose-card is-over' : 'compose-card'} label={m.post}>
            {uploads.isOver && <p className="drop-hint">{u.drop}</p>}
            {versions.isShown && (
              <TextVersions draft={draft} platforms={platforms} shown={versions.shown} onShow={versions.show} />
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
                checked={[]}
                isBad={isBad}
                onChange={(media) => update({ media })}
              />
            )}
            <ButtonGrid rows={draft.buttons} isBad={isBad} onEdit={(button) => setAsked({ button })} />
            {!versions.isShown && platforms.length > 1 && (
              <p className="version-note">
                <button type="button" className="chip" onClick={versions.open}>
                  {m.tailor}
                </button>
              </p>
            )}
            {isOutdated && (
              <div className="publish-error" role="alert">
                <Icon name="failed" tone="fail" />
                <div>
                  <b>{e.outdated}</b> {e.outdatedText}{' '}
                  <Button size="small" onClick={() => void load()}>
                    {m.loadCurrent}
                  </Button>
                </div>
              </div>
            )}
            {error && isChanged && !isOutdated && (
              <div className="publish-error" role="alert">
                <Icon name="failed" tone="fail" />
                <div>
                  <b>{m.notChanged}</b>{' '}
                  {error.status === 0 ? m.unreachable : <GatewayText text={error.errors.join(' ')} />}
                </div>
              </div>
            )}
            <GoBar
              label={reached > 0 && isChanged ? e.save(reached) : e.saveNothing}
              isPlanned={false}
              isBusy={isBusy}
              isReady={isReady}
              retryAt={null}
              code={null}
              publish={() => void save()}
            />
          </Card>
          {isChanged && check.problems.length > 0 && (
            <ProblemList draft={draft} problems={check.problems} onShow={versions.showField} />
          )}
        </div>
        <div className="compose-previews">
          {!isOutdated && (
            <EditOutcomes
              publications={post.publications}
              check={isChanged && !hasNothing ? check : { ...check, outcomes: new Map(), isStale: false }}
            />
          )}
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
