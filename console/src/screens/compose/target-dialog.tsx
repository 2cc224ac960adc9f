import { useState } from 'react';
import { ChannelPicker } from '../../channels/channel-picker.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { format } from '../../i18n/format.js';
import { defineMessages } from '../../i18n/messages.js';
import { leaveOut } from './draft.js';
import type { Destination } from './headline.js';

const m = defineMessages({
  en: {
    choose: (chosen: string, all: string) => `${chosen} of ${all} channels…`,
    title: 'Where does the post go?',
    list: 'Channels',
    count: (chosen: string, all: string) => `${chosen} of ${all} chosen`,
    all: 'All',
    none: 'None',
    done: 'Done',
  },
  ru: {
    choose: (chosen: string, all: string) => `Каналы: ${chosen} из ${all}…`,
    title: 'Куда отправить пост?',
    list: 'Каналы',
    count: (chosen: string, all: string) => `Выбрано ${chosen} из ${all}`,
    all: 'Все',
    none: 'Ни одного',
    done: 'Готово',
  },
});

interface TargetChoiceProps {
  readonly channels: Destination['channels'];
  /** Ids of the channels that do not receive the post. */
  readonly leftOut: readonly string[];
  readonly onChange: (leftOut: readonly string[]) => void;
}

/** A button that opens the list of channels, to choose single ones among many. */
export const TargetChoice = ({ channels, leftOut, onChange }: TargetChoiceProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const usable = channels.filter(({ status }) => status !== 'disabled');
  const chosen = usable.map(({ id }) => id).filter((id) => !leftOut.includes(id));
  const counts = [format.number(chosen.length), format.number(usable.length)] as const;
  const choose = (ids: readonly string[]): void => {
    onChange(
      leaveOut(
        leftOut,
        usable.map(({ id }) => id),
        ids,
      ),
    );
  };
  return (
    <>
      <button type="button" className="chip" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {m.choose(...counts)}
        <Icon name="chevronDown" size={12} />
      </button>
      {isOpen && (
        <Dialog title={m.title} isOpen onClose={() => setIsOpen(false)}>
          <div className="row target-choice">
            <span role="status">{m.count(...counts)}</span>
            <Button size="small" onClick={() => choose(usable.map(({ id }) => id))}>
              {m.all}
            </Button>
            <Button size="small" onClick={() => choose([])}>
              {m.none}
            </Button>
          </div>
          <ChannelPicker label={m.list} channels={usable} chosen={chosen} onChange={choose} />
          <div className="dialog-actions">
            <Button look="primary" onClick={() => setIsOpen(false)}>
              {m.done}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
};
