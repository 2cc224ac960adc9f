import { useQuery } from '@tanstack/react-query';
import { type Api, management } from '../../api/management.js';
import { Json } from '../../components/code.js';
import { Dialog } from '../../components/dialog.js';
import { Loaded } from '../../components/states.js';
import { format } from '../../i18n/format.js';
import { diffWords, type Piece } from './diff-words.js';
import { plannedMessages as m } from './planned-messages.js';

/** A version of a post: its number, and the revision of the history that holds it. */
export interface Version {
  readonly number: number;
  readonly revision: Api<'HistoricEvent'>['revision'];
}

/** Loads the content of a post as it was at a revision of its history; null if it is no longer stored. */
const useContent = (postId: string, revision: Version['revision'] | undefined) =>
  useQuery({
    queryKey: ['history', 'post', postId, 'revision', revision],
    queryFn: async (): Promise<Pick<Api<'PublishPayload'>, 'text'> | null> => {
      const { state } = await management().get('/history/{aggregate}/{id}', {
        path: { aggregate: 'post', id: postId },
        query: { revision: String(revision) },
      });
      const { payload } = state;
      return typeof payload === 'object' && payload !== null ? payload : null;
    },
    enabled: revision !== undefined,
  });

interface VersionDialogProps {
  readonly postId: string;
  readonly version: Version;
  /** The version before it; undefined for the first. */
  readonly before: Version | undefined;
  readonly onClose: () => void;
}

/** The content of a version, beside the version before it, with the difference marked. */
export const VersionDialog = ({ postId, version, before, onClose }: VersionDialogProps) => {
  const content = useContent(postId, version.revision);
  const earlier = useContent(postId, before?.revision).data;
  return (
    <Dialog title={m.versionTitle(format.number(version.number))} isOpen onClose={onClose} className="wide">
      <Loaded query={content} rows={4}>
        {(payload) => {
          if (payload === null) return <p className="secondary">{m.noContent}</p>;
          const sides = before && earlier ? diffWords(earlier.text ?? '', payload.text ?? '') : null;
          return (
            <div className="version-content">
              {before && sides ? (
                <div className="version-sides">
                  <Side title={m.versionTitle(format.number(before.number))} pieces={sides[0]} mark="del" />
                  <Side title={m.versionTitle(format.number(version.number))} pieces={sides[1]} mark="ins" />
                </div>
              ) : (
                payload.text !== undefined && (
                  <p tabIndex={0}>
                    <bdi>{payload.text}</bdi>
                  </p>
                )
              )}
              <details>
                <summary>{m.versionJson}</summary>
                <Json value={payload} />
              </details>
            </div>
          );
        }}
      </Loaded>
    </Dialog>
  );
};

interface SideProps {
  readonly title: string;
  readonly pieces: readonly Piece[];
  /** How to mark what the other side lacks. */
  readonly mark: 'del' | 'ins';
}

const Side = ({ title, pieces, mark: Mark }: SideProps) => (
  <section aria-label={title}>
    <h3>{title}</h3>
    <p tabIndex={0}>
      {pieces.length === 0 && <span className="secondary">{m.withoutText}</span>}
      <bdi>
        {pieces.map(({ text, isChanged }, index) =>
          isChanged ? <Mark key={index}>{text}</Mark> : <span key={index}>{text}</span>,
        )}
      </bdi>
    </p>
  </section>
);
