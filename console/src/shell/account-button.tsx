import './account.css';
import type { ButtonHTMLAttributes, Ref } from 'react';
import { useOverview } from '../api/overview.js';
import { Icon } from '../components/icon.js';
import { format } from '../i18n/format.js';
import { defineMessages, pluralEn, pluralRu } from '../i18n/messages.js';
import { useSession } from '../session/session.js';

const m = defineMessages({
  en: {
    account: 'Account',
    operator: 'Operator',
    allOwners: 'All owners',
    postsLeft: (count: number, shown: string) => `${shown} ${pluralEn(count, 'post', 'posts')} left`,
    unlimited: 'unlimited posts',
  },
  ru: {
    account: 'Учётная запись',
    operator: 'Оператор',
    allOwners: 'Все владельцы',
    postsLeft: (count: number, shown: string) =>
      `${pluralRu(count, 'остался', 'осталось', 'осталось')} ${shown} ${pluralRu(count, 'пост', 'поста', 'постов')}`,
    unlimited: 'посты без ограничения',
  },
});

/** A button that shows who is signed in and which plan they have. */
export const AccountButton = (
  props: ButtonHTMLAttributes<HTMLButtonElement> & { readonly ref?: Ref<HTMLButtonElement> },
) => {
  const session = useSession();
  const owner = useOverview().data?.owner;
  const isOperator = session?.role === 'operator';
  const left = owner?.posts_left;
  const posts = left === null ? m.unlimited : left === undefined ? '' : m.postsLeft(left, format.number(left));
  const plan = owner ? `${owner.plan.slice(0, 1).toUpperCase()}${owner.plan.slice(1)} · ${posts}` : '';
  const name = session?.owner?.name ?? m.operator;
  const note = !isOperator ? plan : session?.owner ? m.operator : m.allOwners;
  return (
    <button type="button" className="account" aria-label={`${m.account}: ${name} ${note}`} {...props}>
      <Icon name={isOperator ? 'owners' : 'channel'} size={16} className="account-icon" />
      <span className="account-text">
        <bdi className="cut">{name}</bdi> <small className="cut">{note}</small>
      </span>
      <Icon name="chevronDown" size={12} />
    </button>
  );
};
