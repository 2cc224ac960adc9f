import { useState } from 'react';
import { fileName } from '../../../../stand-ins/walls/readers-view.js';
import type { Api } from '../../api/management.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { format } from '../../i18n/format.js';
import type { Medium } from './draft.js';
import { MediumDialog } from './medium-dialog.js';
import { composeMessages as m } from './messages.js';

/** Maximum number of media files in a post. */
export const MAX_MEDIA = 10;

const MB = 1_048_576;

/**
 * A draft's media files as tiles, in order, each with a menu. An additional tile adds a file, up to {@link MAX_MEDIA}.
 */
export const MediaList = ({
  media,
  checked,
  isBad,
  onChange,
}: {
  readonly media: readonly Medium[];
  /** Media details that the gateway has determined so far. */
  readonly checked: readonly Api<'SandboxMedium'>[];
  readonly isBad: (path: string) => boolean;
  readonly onChange: (media: readonly Medium[]) => void;
}) => {
  const [edited, setEdited] = useState<number | null>(null);
  const types: Readonly<Record<string, string>> = { photo: m.photo, video: m.video, audio: m.audio };
  const move = (index: number, by: number): void => {
    const moved = [...media];
    moved.splice(index + by, 0, ...moved.splice(index, 1));
    onChange(moved);
  };
  return (
    <div className="compose-media" role="group" aria-label={m.media}>
      {media.map((medium, index) => (
        <Menu
          key={`${index} ${medium.url}`}
          align="start"
          trigger={
            <button
              type="button"
              className="medium-tile"
              data-field={`media[${index}]`}
              aria-invalid={isBad(`media[${index}]`) || undefined}
              aria-label={m.mediumOf(fileName(medium.url), types[medium.type] ?? medium.type, index + 1, media.length)}
              title={medium.url}
            >
              <Icon name={medium.type === 'photo' ? 'image' : medium.type === 'audio' ? 'audio' : 'video'} size={18} />
            </button>
          }
        >
          <MenuItem onSelect={() => setEdited(index)}>{m.editMedium}</MenuItem>
          {index > 0 && <MenuItem onSelect={() => move(index, -1)}>{m.moveEarlier}</MenuItem>}
          {index < media.length - 1 && <MenuItem onSelect={() => move(index, 1)}>{m.moveLater}</MenuItem>}
          <MenuItem isDanger onSelect={() => onChange(media.filter((_, place) => place !== index))}>
            {m.remove}
          </MenuItem>
        </Menu>
      ))}
      {media.length < MAX_MEDIA && (
        <button
          type="button"
          className="medium-tile add"
          aria-label={m.addMedia}
          title={m.addMedia}
          onClick={() => setEdited(media.length)}
        >
          <Icon name="plus" />
        </button>
      )}
      <div className="medium-names tertiary">
        {media.map(({ url }, index) => {
          const size = checked.find((each) => each.url === url)?.size_mb;
          return (
            <div key={index} className="cut">
              <bdi>{fileName(url)}</bdi>
              {size !== null && size !== undefined && ` · ${format.bytes(size * MB)}`}
            </div>
          );
        })}
        <div>{m.mediaCount(media.length)}</div>
      </div>
      {edited !== null && (
        <MediumDialog
          medium={media[edited]}
          onSave={(medium) => onChange([...media.slice(0, edited), medium, ...media.slice(edited + 1)])}
          onClose={() => setEdited(null)}
        />
      )}
    </div>
  );
};
