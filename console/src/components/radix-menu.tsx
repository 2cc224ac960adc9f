import './menu.css';
import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { useMay } from '../session/rights.js';
import { Icon } from './icon.js';
import type { MenuItemProps, MenuProps } from './menu.js';

/** See {@link Menu}. @param isOpen true to open it as soon as it renders, because the click that loaded it should also open it */
export const OpenMenu = ({ trigger, align, children, isOpen }: Required<MenuProps> & { readonly isOpen: boolean }) => (
  <Radix.Root modal={false} defaultOpen={isOpen}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content className="menu" align={align} sideOffset={4} collisionPadding={8}>
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

/** See {@link MenuItem}. */
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

/** See {@link MenuSeparator}. */
export const MenuSeparator = () => <Radix.Separator className="menu-separator" />;
