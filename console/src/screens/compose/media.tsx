import { type FormEvent, useState } from 'react';
import type { Api } from '../../api/management.js';
import { ownAddress, type UploadedFile, useUploadedFiles } from '../../api/upload.js';
import { Button } from '../../components/button.js';
import { Segmented, TextField } from '../../components/controls.js';
import { Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { readUrl } from '../../editor/formatted-text.js';
import { format } from '../../i18n/format.js';
import type { Medium } from './draft.js';
import { composeMessages as m } from './messages.js';
import { PendingFiles, PendingNames } from './upload-tools.js';
import { MAX_MEDIA, nameOfMedium, type Uploads } from './use-uploads.js';

/** File extensions by type. */
const BY_EXTENSION: readonly (readonly [Medium['type'], RegExp])[] = [
  ['video', /\.(mp4|mov|webm)$/i],
  ['audio', /\.(mp3|m4a|ogg)$/i],
  ['photo', /\.(jpe?g|png|webp)$/i],
];

interface MediumDialogProps {
  /** Undefined for a new file. */
  readonly medium: Medium | undefined;
  readonly onSave: (medium: Medium) => void;
  readonly onClose: () => void;
}

/** A dialog for a file's URL and type. The file extension suggests the type until one is chosen. */
export const MediumDialog = ({ medium, onSave, onClose }: MediumDialogProps) => {
  const [address, setAddress] = useState(medium?.url ?? '');
  const [chosen, setChosen] = useState<Medium['type'] | null>(medium?.type ?? null);
  const [isTried, setIsTried] = useState(false);
  const url = readUrl(address);
  const isGood = url !== null && /^https:/i.test(url);
  const path = url === null ? '' : new URL(url).pathname;
  const type = chosen ?? BY_EXTENSION.find(([, pattern]) => pattern.test(path))?.[0] ?? 'photo';
  const save = (event: FormEvent): void => {
    event.preventDefault();
    setIsTried(true);
    if (!isGood) return;
    onSave({ type, url });
    onClose();
  };
  return (
    <Dialog title={m.mediumTitle} isOpen onClose={onClose}>
      <form className="dialog-form" onSubmit={save} noValidate>
        <TextField
          label={m.mediumUrl}
          hint={m.mediumUrlHint}
          error={isTried && !isGood && m.badMediumUrl}
          inputMode="url"
          value={address}
          placeholder="https://"
          onChange={setAddress}
        />
        <Segmented<Medium['type']>
          label={m.mediumType}
          value={type}
          options={[
            { value: 'photo', label: m.photo },
            { value: 'video', label: m.video },
            { value: 'audio', label: m.audio },
          ]}
          onChange={setChosen}
        />
        <div className="dialog-actions">
          <Button look="primary" type="submit">
            {medium ? m.save : m.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};

const MB = 1_048_576;

interface ThumbnailProps {
  readonly medium: Medium;
  readonly file: UploadedFile | undefined;
}

/** An uploaded photo itself; a sign for any other file, which only its host could show. */
const Thumbnail = ({ medium, file }: ThumbnailProps) =>
  file?.type === 'photo' ? (
    <img className="thumbnail" src={ownAddress(file.url)} alt="" />
  ) : (
    <Icon name={medium.type === 'photo' ? 'image' : medium.type === 'audio' ? 'audio' : 'video'} size={18} />
  );

interface MediaListProps {
  readonly uploads: Uploads;
  readonly media: readonly Medium[];
  /** Media details that the gateway has determined so far. */
  readonly checked: readonly Api<'SandboxMedium'>[];
  readonly isBad: (path: string) => boolean;
  readonly onChange: (media: readonly Medium[]) => void;
}

/**
 * A draft's media files, and those that are being uploaded, as tiles, in order, each with a menu. An additional tile adds a file, up to {@link MAX_MEDIA}.
 */
export const MediaList = ({ uploads, media, checked, isBad, onChange }: MediaListProps) => {
  const files = useUploadedFiles(media);
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
          key={`${index} ${medium.id ?? medium.url}`}
          align="start"
          trigger={
            <button
              type="button"
              className="medium-tile"
              data-field={`media[${index}]`}
              aria-invalid={isBad(`media[${index}]`) || undefined}
              aria-label={m.mediumOf(nameOfMedium(medium), types[medium.type] ?? medium.type, index + 1, media.length)}
              title={medium.url ?? nameOfMedium(medium)}
            >
              <Thumbnail medium={medium} file={files.get(medium.id ?? '')} />
            </button>
          }
        >
          {medium.id === undefined && <MenuItem onSelect={() => setEdited(index)}>{m.editMedium}</MenuItem>}
          {index > 0 && <MenuItem onSelect={() => move(index, -1)}>{m.moveEarlier}</MenuItem>}
          {index < media.length - 1 && <MenuItem onSelect={() => move(index, 1)}>{m.moveLater}</MenuItem>}
          <MenuItem isDanger onSelect={() => onChange(media.filter((_, place) => place !== index))}>
            {m.remove}
          </MenuItem>
        </Menu>
      ))}
      <PendingFiles uploads={uploads} />
      {media.length + uploads.pending.length < MAX_MEDIA && (
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
        {media.map((medium, index) => {
          const probed = checked.find((each) => each.url !== undefined && each.url === medium.url)?.size_mb ?? null;
          const size = files.get(medium.id ?? '')?.bytes ?? (probed === null ? null : probed * MB);
          return (
            <div key={index} className="cut">
              <bdi>{nameOfMedium(medium)}</bdi>
              {size !== null && ` · ${format.bytes(size)}`}
            </div>
          );
        })}
        <PendingNames uploads={uploads} />
        {media.length > 0 && <div>{m.mediaCount(media.length)}</div>}
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
