import { Icon } from '../../components/icon.js';

/** A button in the editor's toolbar that adds a media file or a button to the post. */
export const Tool = ({
  icon,
  label,
  isFull = false,
  onClick,
}: {
  readonly icon: 'image' | 'button';
  readonly label: string;
  /** True if nothing more can be added. */
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
