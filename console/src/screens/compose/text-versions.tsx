import { Segmented } from '../../components/controls.js';
import { Icon, networkInText, NetworkMark, networkTitle } from '../../components/icon.js';
import { type Draft, losesFormatting } from './draft.js';
import { composeMessages as m } from './messages.js';

/** Key of the common text, for networks without their own text. */
export const ALL = 'all';

interface TextVersionsProps {
  readonly draft: Draft;
  readonly platforms: readonly string[];
  /** A network, or {@link ALL}. */
  readonly shown: string;
  readonly onShow: (version: string) => void;
}

/** Chooses the network whose text the editor shows. */
export const TextVersions = ({ draft, platforms, shown, onShow }: TextVersionsProps) => (
  <div className="text-versions">
    <Segmented
      label={m.textOf}
      value={shown}
      options={[
        { value: ALL, label: m.allNetworks },
        ...platforms.map((platform) => ({
          value: platform,
          label: (
            <span className="row">
              <NetworkMark platform={platform} size={16} label={platform !== shown} />
              {platform === shown && networkTitle(platform)}
              {draft.overrides[platform] && <i className="own-text" role="img" aria-label={m.hasOwnText} />}
            </span>
          ),
        })),
      ]}
      onChange={onShow}
    />
  </div>
);

interface VersionNoteProps {
  readonly draft: Draft;
  readonly shown: string;
  readonly update: (change: Partial<Draft>) => void;
}

/** Shows whether the network has its own text, and warns if editing the text would lose formatting. */
export const VersionNote = ({ draft, shown, update }: VersionNoteProps) => {
  const network = networkInText(shown);
  const hasOwn = draft.overrides[shown] !== undefined;
  const drop = (): void =>
    update({ overrides: Object.fromEntries(Object.entries(draft.overrides).filter(([key]) => key !== shown)) });
  const loses = losesFormatting(draft, shown);
  if (shown === ALL && !loses) return null;
  return (
    <p className="version-note tertiary">
      {shown !== ALL && (hasOwn ? m.ownText(network) : m.sameText(network))}{' '}
      {hasOwn && (
        <button type="button" className="link" onClick={drop}>
          {m.dropOwnText}
        </button>
      )}{' '}
      {loses && m.losesFormatting}
    </p>
  );
};

interface ToolProps {
  readonly icon: 'imageLink' | 'button';
  readonly label: string;
  /** True if nothing more can be added. */
  readonly isFull?: boolean;
  readonly onClick: () => void;
}

/** A button in the editor's toolbar that adds a media file or a button to the post. */
export const Tool = ({ icon, label, isFull = false, onClick }: ToolProps) => (
  <button
    type="button"
    className={`tool tool-${icon}`}
    aria-label={label}
    title={label}
    tabIndex={-1}
    disabled={isFull}
    onClick={onClick}
  >
    <Icon name={icon} size={15} />
  </button>
);
