import { Icon } from '../../components/icon.js';

/** A button of the editor's toolbar that adds to the post. */
export const Tool = ({
  icon,
  label,
  isFull = false,
  onClick,
}: {
  readonly icon: 'image' | 'button';
  readonly label: string;
  /** True if no more can be added. */
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
