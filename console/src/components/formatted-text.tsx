import './formatted-text.css';
import type { ReactNode } from 'react';
import type { Api } from '../api/management.js';

type Entity = Api<'Entity'>;

interface FormattedTextProps {
  readonly text: string;
  readonly entities?: readonly Entity[];
}

/** Renders formatted text from the API. Only https: and tg: addresses become links. */
export const FormattedText = ({ text, entities = [] }: FormattedTextProps) => {
  const edges = [0, text.length, ...entities.flatMap(({ offset, length }) => [offset, offset + length])];
  const places = [...new Set(edges)].filter((at) => at >= 0 && at <= text.length).sort((a, b) => a - b);
  return (
    <bdi className="formatted-text">
      {places.slice(0, -1).map((start, index) => {
        const end = places[index + 1] ?? text.length;
        const around = entities.filter(({ offset, length }) => offset <= start && offset + length >= end);
        const inner: ReactNode = text.slice(start, end);
        return (
          <span key={start}>{around.reduceRight<ReactNode>((children, entity) => wrap(entity, children), inner)}</span>
        );
      })}
    </bdi>
  );
};

const wrap = ({ type, url }: Entity, children: ReactNode): ReactNode => {
  switch (type) {
    case 'bold':
      return <b>{children}</b>;
    case 'italic':
      return <i>{children}</i>;
    case 'underline':
      return <u>{children}</u>;
    case 'strikethrough':
      return <s>{children}</s>;
    case 'code':
    case 'pre':
      return <code>{children}</code>;
    case 'spoiler':
      return <span className="formatted-spoiler">{children}</span>;
    case 'blockquote':
    case 'expandable_blockquote':
      return <span className="formatted-quote">{children}</span>;
    case 'text_link':
      return url !== undefined && /^(https|tg):\/\//i.test(url) ? (
        <a className="link" href={url} title={url} target="_blank" rel="noopener noreferrer nofollow">
          {children}
        </a>
      ) : (
        <u title={url}>{children}</u>
      );
    default:
      return children;
  }
};
