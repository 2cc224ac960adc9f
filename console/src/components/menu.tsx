import './menu.css';
import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { type Route, useMay } from '../session/rights.js';
import { Icon, type IconName } from './icon.js';

interface MenuProps {
  readonly trigger: ReactNode;
  readonly align?: 'start' | 'end';
  /** True to open the menu as soon as it renders, because the click that loaded it should also open it. */
  readonly defaultOpen?: boolean;
  readonly children: ReactNode;
}

/** A drop-down menu. `trigger` is the button that opens it. */
export const Menu = ({ trigger, align = 'end', defaultOpen = false, children }: MenuProps) => (
  <Radix.Root modal={false} defaultOpen={defaultOpen}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content className="menu" align={align} sideOffset={4} collisionPadding={8}>
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

interface MenuItemProps {
  readonly icon?: IconName;
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  /** Whether the item's value is currently selected; set only for items that select a value. */
  readonly isChecked?: boolean;
  /** The item is not shown to a person whose key may never call this route. */
  readonly needs?: Route;
  readonly children: ReactNode;
}

/** An item of a menu. */
export const MenuItem = ({ icon, onSelect, isDanger = false, isChecked, needs, children }: MenuItemProps) => {
  const isAllowed = useMay(needs);
  const className = `menu-item ${isDanger ? 'tone-fail' : ''}`;
  if (!isAllowed) return null;
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

/** A heading within a menu. */
export const MenuLabel = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Label className="menu-label">{children}</Radix.Label>
);

/** A separator between groups of menu items. */
export const MenuSeparator = () => <Radix.Separator className="menu-separator" />;
