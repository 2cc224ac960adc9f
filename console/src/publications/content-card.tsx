import './content-card.css';
import { useState } from 'react';
import type { Api } from '../api/management.js';
import type { Names } from '../api/things.js';
import { ownAddress, type UploadedFile, useUploadedFiles } from '../api/upload.js';
import { CopyButton, ExternalLink } from '../components/button.js';
import { Card } from '../components/card.js';
import { Json } from '../components/code.js';
import { NetworkMark, networkTitle } from '../components/icon.js';
import { wallMessages as walls } from '../walls/read-wall.js';
import { contentMessages as m } from './messages.js';

interface ContentCardProps {
  readonly payload: Api<'PostWithPayload'>['payload'];
  readonly names: Names;
  /** True if the content was erased, as the owner wanted it. */
  readonly isErased?: boolean;
  /** True to begin with the whole payload if this card does not show all of it, because a decision depends on it. */
  readonly isWhole?: boolean;
}

/** A post's content, and any text that replaces it on individual networks or channels. */
export const ContentCard = ({ payload, names, isErased = false, isWhole = false }: ContentCardProps) => {
  const [isJson, setIsJson] = useState(isWhole && !isShownWhole(payload));
  const files = useUploadedFiles(payload?.media ?? []);
  if (payload === null)
    return (
      <Card title={m.content}>
        <p className="card-body secondary">{isErased ? m.erased : m.noContent}</p>
      </Card>
    );
  const { text, media = [], buttons = [], overrides = {} } = payload;
  return (
    <Card title={m.content} aside={<CopyButton text={JSON.stringify(payload, null, 2)} />}>
      <div className="card-body post-content">
        {text !== undefined && <Text text={text} />}
        {Object.entries(overrides).map(
          ([key, override]) =>
            override.text !== undefined && (
              <div key={key} className="post-own-text">
                <h3 className="row">
                  <NetworkMark platform={names.channel(key)?.platform ?? key} size={16} label={false} />
                  <bdi>{m.onlyOn(names.channel(key)?.name ?? networkTitle(key))}</bdi>
                </h3>
                {override.text === null || override.text === '' ? (
                  <p className="secondary">{m.withoutText}</p>
                ) : (
                  <Text text={override.text} />
                )}
              </div>
            ),
        )}
        {media.length > 0 && (
          <p className="secondary">
            {m.attachments}:{' '}
            {media.map((medium, index) => (
              <span key={index} className="post-part">
                <Medium medium={medium} file={'id' in medium ? files.get(medium.id) : undefined} />
              </span>
            ))}
          </p>
        )}
        {buttons.length > 0 && (
          <p className="secondary">
            {m.buttons}:{' '}
            {buttons.flat().map(({ text: label, url }) => (
              <span key={`${label} ${url}`} className="post-part">
                <bdi>{label}</bdi> <ExternalLink href={url}>{url}</ExternalLink>
              </span>
            ))}
          </p>
        )}
        <details open={isJson} onToggle={(event) => setIsJson(event.currentTarget.open)}>
          <summary>{m.asJson}</summary>
          {isJson && <Json value={payload} />}
        </details>
      </div>
    </Card>
  );
};

/** Returns whether the card shows a payload whole, without its JSON. Its time is shown beside the card. */
const isShownWhole = (payload: ContentCardProps['payload']): boolean =>
  Object.keys(payload ?? {}).every((name) => ['text', 'media', 'publish_at'].includes(name)) &&
  (payload?.media ?? []).every((medium) => Object.keys(medium).every((name) => ['type', 'id', 'url'].includes(name)));

interface MediumProps {
  readonly medium: NonNullable<NonNullable<ContentCardProps['payload']>['media']>[number];
  /** What the gateway knows about an upload. */
  readonly file: UploadedFile | undefined;
}

/** A file of a post: an uploaded photo itself, which opens whole; a link to any other. */
const Medium = ({ medium, file }: MediumProps) => {
  const { type } = medium;
  if (file?.type === 'photo')
    return (
      <a href={ownAddress(file.url)} target="_blank" rel="noopener">
        <img className="post-photo" src={ownAddress(file.url)} alt={file.filename ?? walls.mediaType(type)} />
      </a>
    );
  const address = file ? ownAddress(file.url) : 'url' in medium && medium.url;
  return (
    <>
      {walls.mediaType(file?.type ?? type)}
      {address && (
        <>
          {' '}
          <ExternalLink href={address}>{file?.filename ?? address}</ExternalLink>
        </>
      )}
    </>
  );
};

/** The text as it was written. Long text can be scrolled, with the keyboard too. */
const Text = ({ text }: { readonly text: string }) => (
  <p className="whole-text" tabIndex={0}>
    <bdi>{text}</bdi>
  </p>
);
