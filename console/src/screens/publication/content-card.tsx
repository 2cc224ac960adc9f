import { useState } from 'react';
import type { Api } from '../../api/management.js';
import type { Names } from '../../api/things.js';
import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy.js';
import { NetworkMark, networkTitle } from '../../components/icon.js';
import { Json } from '../../components/json.js';
import { postMessages as m } from './post-messages.js';

/** A post's content, and any text that replaces it on individual networks or channels. */
export const ContentCard = ({
  payload,
  names,
}: {
  readonly payload: Api<'PostWithPayload'>['payload'];
  readonly names: Names;
}) => {
  const [isJson, setIsJson] = useState(false);
  if (payload === null)
    return (
      <Card title={m.content}>
        <p className="card-body secondary">{m.noContent}</p>
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
            {m.attachments}: <bdi>{media.map(({ type }) => type).join(', ')}</bdi>
          </p>
        )}
        {buttons.length > 0 && (
          <p className="secondary">
            {m.buttons}:{' '}
            <bdi>
              {buttons
                .flat()
                .map((button) => button.text)
                .join(', ')}
            </bdi>
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

/** The text as it was written. Long text can be scrolled, with the keyboard too. */
const Text = ({ text }: { readonly text: string }) => (
  <p className="post-text" tabIndex={0}>
    <bdi>{text}</bdi>
  </p>
);
