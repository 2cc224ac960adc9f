import './menu.css';
import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.js';

/** A menu that a button opens. `trigger` is the button itself. */
export const Menu = ({
  trigger,
  align = 'end',
  defaultOpen = false,
  children,
}: {
  readonly trigger: ReactNode;
  readonly align?: 'start' | 'end';
  /** True to open it from the start, for a menu that is loaded by the click that opens it. */
  readonly defaultOpen?: boolean;
  readonly children: ReactNode;
}) => (
  <Radix.Root modal={false} defaultOpen={defaultOpen}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content className="menu" align={align} sideOffset={4} collisionPadding={8}>
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

/** A line of a menu. */
export const MenuItem = ({
  icon,
  onSelect,
  isDanger = false,
  isChecked,
  children,
}: {
  readonly icon?: IconName;
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  /** Set for one of several values: whether it is the current value. */
  readonly isChecked?: boolean;
  readonly children: ReactNode;
}) => {
  const className = `menu-item ${isDanger ? 'tone-fail' : ''}`;
  if (isChecked !== undefined)
    return (
      <Radix.CheckboxItem className={className} checked={isChecked} onSelect={onSelect}>
        <span className="menu-mark">{isChecked && <Icon name="check" size={14} />}</span>
        {children}
      </Radix.CheckboxItem>
    );
  return (
    <Radix.Item className={className} onSelect={onSelect}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </Radix.Item>
  );
};

/** A heading between lines of a menu. */
export const MenuLabel = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Label className="menu-label">{children}</Radix.Label>
);

/** A line between groups of a menu. */
export const MenuSeparator = () => <Radix.Separator className="menu-separator" />;
