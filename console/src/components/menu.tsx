import { cloneElement, type KeyboardEvent, type ReactElement, type ReactNode, useState } from 'react';
import type { Route } from '../session/rights.js';
import type { IconName } from './icon.js';
import type * as Menus from './radix-menu.js';

/** The menus proper, whose scripts are as large as those of a screen: they are loaded for the first menu that is opened. */
let menus: typeof Menus | undefined;
const loadMenus = async (): Promise<void> => {
  menus ??= await import('./radix-menu.js');
};
const loadAhead = (): void => {
  loadMenus().catch(() => undefined); // loaded again when a menu is opened
};

interface TriggerProps {
  readonly onPointerEnter?: () => void;
  readonly onFocus?: () => void;
  readonly onClick?: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

export interface MenuProps {
  readonly trigger: ReactElement<TriggerProps>;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

/** A drop-down menu. `trigger` is the button that opens it. */
export const Menu = ({ trigger, align = 'end', children }: MenuProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const [isLoaded, setIsLoaded] = useState(menus !== undefined);
  const open = (): void => {
    loadMenus().then(() => {
      setIsOpen(true);
      setIsLoaded(true);
    }, loadAhead);
  };
  if (menus && isLoaded) return <menus.OpenMenu {...{ trigger, align, isOpen, children }} />;
  const { onPointerEnter, onFocus } = trigger.props;
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: () => (onPointerEnter?.(), loadAhead()),
    onFocus: () => (onFocus?.(), loadAhead()),
    onClick: open,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'ArrowDown') open();
    },
  } as TriggerProps);
};

export interface MenuItemProps {
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
export const MenuItem = (props: MenuItemProps) => menus && <menus.MenuItem {...props} />;

/** A separator between groups of menu items. */
export const MenuSeparator = () => menus && <menus.MenuSeparator />;
