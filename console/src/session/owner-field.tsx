import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { management } from '../api/management.js';
import { readAll } from '../api/things.js';
import { SelectField } from '../components/controls.js';
import { defineMessages } from '../i18n/messages.js';
import { useScope } from './session.js';

const m = defineMessages({
  en: { owner: 'Owner', choose: 'Choose…', missing: 'Choose the owner.' },
  ru: { owner: 'Владелец', choose: 'Выберите…', missing: 'Выберите владельца.' },
});

/**
 * Returns whether the owner of a new resource must be chosen in {@link OwnerField}, because the operator sees all
 * owners.
 */
export const useNeedsOwner = (): boolean => {
  const { isOperator, ownerId } = useScope();
  return isOperator && ownerId === null;
};

const useOwners = (isNeeded: boolean) =>
  useQuery({
    queryKey: ['owners', 'choice'],
    queryFn: () => readAll((page) => management().get('/owners', { query: page })),
    enabled: isNeeded,
  }).data;

/** Returns owner names by id if several owners' resources are shown; otherwise null. */
export const useOwnerNames = (): ReadonlyMap<string, string> | null => {
  const isNeeded = useNeedsOwner();
  const owners = useOwners(isNeeded);
  return useMemo(() => (isNeeded ? new Map(owners?.map(({ id, name }) => [id, name])) : null), [isNeeded, owners]);
};

interface OwnerFieldProps {
  readonly value: string;
  readonly onChange: (ownerId: string) => void;
  /** True if the form was submitted without an owner. */
  readonly isMissing: boolean;
}

/** Asks the operator who will own a new resource. Renders nothing if the owner is known. */
export const OwnerField = ({ value, onChange, isMissing }: OwnerFieldProps) => {
  const isNeeded = useNeedsOwner();
  const owners = useOwners(isNeeded);
  if (!isNeeded) return null;
  return (
    <SelectField
      label={m.owner}
      error={isMissing && value === '' && m.missing}
      value={value}
      onChange={onChange}
      placeholder={m.choose}
      options={(owners ?? []).map(({ id, name }) => [id, name])}
    />
  );
};
