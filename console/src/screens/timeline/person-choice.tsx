import { useState } from 'react';
import { endpointName, useEndpoints, useIssuedKeys } from '../../api/things.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.js';
import { useActorName } from '../../history/actors.js';
import { defineMessages } from '../../i18n/messages.js';
import { useMay } from '../../session/rights.js';
import { useScope } from '../../session/session.js';

const m = defineMessages({
  en: { by: 'Who posted or approved', everyone: 'Everyone' },
  ru: { by: 'Кто отправил или одобрил', everyone: 'Все люди' },
});

interface PersonChoiceProps {
  /** Actor, such as `key:key_…`. */
  readonly by: string | undefined;
  readonly onChange: (by: string | undefined) => void;
}

/** A menu to choose who posted or approved: the owner, the operator, the holder of a key, or a program. */
export const PersonChoice = ({ by, onChange }: PersonChoiceProps) => {
  const [isAsked, setIsAsked] = useState(false);
  const people = usePeople(isAsked || by?.startsWith('key:') === true);
  const nameOf = useActorName();
  const chosen = by === undefined ? null : (people.find(({ actor }) => actor === by)?.name ?? nameOf(by));
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="chip"
          data-on={chosen !== null}
          title={m.by}
          onPointerEnter={() => setIsAsked(true)}
          onFocus={() => setIsAsked(true)}
        >
          <Icon name="person" size={14} />
          <bdi className="cut">{chosen ?? m.everyone}</bdi>
          <Icon name="chevronDown" size={12} />
        </button>
      }
    >
      <MenuItem isChecked={by === undefined} onSelect={() => onChange(undefined)}>
        {m.everyone}
      </MenuItem>
      <MenuSeparator />
      {people.map(({ actor, name }) => (
        <MenuItem key={actor} isChecked={actor === by} onSelect={() => onChange(actor)}>
          <bdi className="cut">{name}</bdi>
        </MenuItem>
      ))}
    </Menu>
  );
};

/** Lists who can have posted or approved. A key that is limited to endpoints may not see the others. */
const usePeople = (isAsked: boolean): readonly { readonly actor: string; readonly name: string }[] => {
  const scope = useScope();
  const nameOf = useActorName();
  const endpoints = useEndpoints().data ?? [];
  const mayReadKeys = useMay('GET /keys');
  const keys = useIssuedKeys(isAsked && mayReadKeys).data ?? [];
  const owners = [
    ...new Set([...(scope.ownerId === null ? [] : [scope.ownerId]), ...keys.flatMap((key) => key.owner_id ?? [])]),
  ];
  return [
    ...owners.map((id) => ({ actor: `owner:${id}`, name: nameOf(`owner:${id}`) })),
    { actor: 'operator', name: nameOf('operator') },
    ...keys.filter((key) => !key.is_main).map(({ id, name }) => ({ actor: `key:${id}`, name })),
    ...endpoints.map((endpoint) => ({ actor: `endpoint:${endpoint.id}`, name: endpointName(endpoint) })),
  ];
};
