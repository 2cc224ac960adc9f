import './states.css';
import { type ReactNode, useEffect, useState } from 'react';
import { GatewayError } from '../api/management.js';
import { defineMessages } from '../i18n/messages.js';
import { Button } from './button.js';
import { Icon, type IconName } from './icon.js';

const m = defineMessages({
  en: {
    tryAgain: 'Try again',
    unreachable: 'The gateway isn’t responding',
    unreachableText: 'Posts from your programs may be affected, too. The console keeps trying.',
    notFound: 'Not found',
    notFoundText: 'This doesn’t exist, was deleted, or belongs to another owner.',
    failed: 'This can’t be shown right now',
    notAllowed: 'Your key doesn’t allow this',
  },
  ru: {
    tryAgain: 'Повторить',
    unreachable: 'Сервер не отвечает',
    unreachableText: 'Это может касаться и публикации из ваших программ. Консоль продолжает попытки.',
    notFound: 'Не найдено',
    notFoundText: 'Такого нет, оно удалено или принадлежит другому владельцу.',
    failed: 'Сейчас это нельзя показать',
    notAllowed: 'Ваш ключ этого не позволяет',
  },
});

interface EmptyProps {
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** Shown in place of an empty list: why there is nothing to show, and what to do next. */
export const Empty = ({ icon, title, children, action }: EmptyProps) => (
  <div className="empty">
    <Icon name={icon} size={24} />
    <h2>{title}</h2>
    {children !== undefined && <p>{children}</p>}
    {action}
  </div>
);

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** True in place of a whole screen, whose heading it then is. */
  readonly isPage?: boolean;
}

/**
 * An error in place of content: what failed, what it means, the request id, and a button to try again unless the
 * content does not exist.
 */
export const ErrorState = ({ error, onRetry, isPage = false }: ErrorStateProps) => {
  const gateway = error instanceof GatewayError ? error : null;
  const isGone = gateway?.status === 404;
  const isUnreachable = gateway?.status === 0;
  const isForbidden = gateway?.status === 403;
  const title = isGone ? m.notFound : isUnreachable ? m.unreachable : isForbidden ? m.notAllowed : m.failed;
  const Heading = isPage ? 'h1' : 'h2';
  const text = isGone
    ? m.notFoundText
    : isUnreachable
      ? m.unreachableText
      : (gateway?.errors.join(' ') ?? String(error));
  return (
    <div className="empty" role="alert">
      <Icon
        name={isGone ? 'search' : isForbidden ? 'key' : 'failed'}
        size={24}
        {...(!isGone && !isForbidden && { tone: 'fail' as const })}
      />
      <Heading>{title}</Heading>
      <p>
        {text} {gateway && gateway.requestId !== null && <code>{gateway.requestId}</code>}
      </p>
      {onRetry && !isGone && !isForbidden && <Button onClick={onRetry}>{m.tryAgain}</Button>}
    </div>
  );
};

/** Placeholder rows that resemble the real ones, shown after 150 ms. */
export const Skeleton = ({ rows = 5 }: { readonly rows?: number }) => {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return <div className="skeleton" aria-busy="true" />;
  return (
    <div className="skeleton" aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={`skeleton-row w${row % 5}`}>
          <i />
          <i />
          <i />
        </div>
      ))}
    </div>
  );
};

interface LoadedProps<T> {
  readonly query: {
    readonly data: T | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** Number of placeholder rows. */
  readonly rows?: number;
  /** True for the whole content of a screen. */
  readonly isPage?: boolean;
  readonly children: (data: T) => ReactNode;
}

/** Renders a query: placeholders while it loads, then the data or the error. */
export const Loaded = <T,>({ query, rows, isPage, children }: LoadedProps<T>) => {
  if (query.data !== undefined) return children(query.data);
  if (query.error)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} {...(isPage && { isPage })} />;
  return <Skeleton {...(rows !== undefined && { rows })} />;
};
