import { cloneElement, type KeyboardEvent, type ReactElement, type ReactNode, useState } from 'react';
import type { Route } from '../session/rights.js';
import type { IconName } from './icon.js';
import { loadedLater } from './loaded-later.js';

/** The menus proper, whose scripts are as large as those of a screen. */
const menus = loadedLater(() => import('./radix-menu.js'));

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
  const [isLoaded, setIsLoaded] = useState(menus.loaded !== undefined);
  const open = (): void =>
    menus.load(() => {
      setIsOpen(true);
      setIsLoaded(true);
    });
  if (menus.loaded && isLoaded) return <menus.loaded.OpenMenu {...{ trigger, align, isOpen, children }} />;
  const { onPointerEnter, onFocus } = trigger.props;
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: () => (onPointerEnter?.(), menus.loadAhead()),
    onFocus: () => (onFocus?.(), menus.loadAhead()),
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
export const MenuItem = (props: MenuItemProps) => menus.loaded && <menus.loaded.MenuItem {...props} />;

/** A separator between groups of menu items. */
export const MenuSeparator = () => menus.loaded && <menus.loaded.MenuSeparator />;
