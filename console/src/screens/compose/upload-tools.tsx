import { useRef } from 'react';
import { Icon } from '../../components/icon.js';
import { Menu, MenuItem } from '../../components/menu.js';
import { format } from '../../i18n/format.js';
import { uploadMessages as m } from './upload-messages.js';
import type { PendingFile, Uploads } from './use-uploads.js';

/** The formats that posts may contain. Phones offer the camera for them. */
const ACCEPTED = 'image/jpeg,image/png,image/webp,video/mp4,video/quicktime,video/webm,audio/mpeg,audio/mp4,audio/ogg';

interface UploadToolProps {
  readonly uploads: Uploads;
  /** True if the post takes no more files. */
  readonly isFull: boolean;
}

/** The toolbar's button that chooses files from the device. */
export const UploadTool = ({ uploads, isFull }: UploadToolProps) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="tool upload-tool"
        aria-label={m.choose}
        title={m.chooseHint}
        tabIndex={-1}
        disabled={isFull}
        onClick={() => input.current?.click()}
      >
        <Icon name="image" size={15} />
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={ACCEPTED}
        data-testid="files"
        onChange={({ target }) => {
          uploads.add([...(target.files ?? [])]);
          target.value = ''; // the same file may be chosen again
        }}
      />
    </>
  );
};

/** Files that are being uploaded, as tiles with their progress, and those that could not be, with what to do. */
export const PendingFiles = ({ uploads: { pending, retry, remove } }: { readonly uploads: Uploads }) => (
  <>
    {pending.map((each) => (
      <Menu
        key={each.key}
        align="start"
        trigger={
          <button
            type="button"
            className="medium-tile"
            aria-invalid={each.error !== null || undefined}
            aria-label={labelOf(each)}
            title={each.file.name}
          >
            {each.error ? (
              <Icon name="failed" tone="fail" size={18} />
            ) : (
              <span className="upload-part" aria-hidden="true">
                <i style={{ width: `${Math.round(each.part * 100)}%` }} />
              </span>
            )}
          </button>
        }
      >
        {each.error && <MenuItem onSelect={() => retry(each)}>{m.retry}</MenuItem>}
        <MenuItem isDanger onSelect={() => remove(each)}>
          {each.error ? m.remove : m.cancel}
        </MenuItem>
      </Menu>
    ))}
  </>
);

/** Says which files are on their way, and why others are not. */
export const PendingNames = ({ uploads: { pending, retry } }: { readonly uploads: Uploads }) => (
  <>
    {pending.map((each) =>
      each.error ? (
        <div key={each.key} className="upload-error" role="alert">
          <b>{each.file.name}</b> {reasonOf(each.error)}{' '}
          <button type="button" className="link" onClick={() => retry(each)}>
            {m.retry}
          </button>
        </div>
      ) : (
        <div key={each.key} className="cut">
          <bdi>{each.file.name}</bdi> · {m.sent(format.bytes(each.part * each.file.size), format.bytes(each.file.size))}
        </div>
      ),
    )}
  </>
);

const labelOf = ({ file, error, part }: PendingFile): string =>
  error ? m.failed(file.name) : m.uploading(file.name, Math.round(part * 100));

const reasonOf = ({ status, errors }: NonNullable<PendingFile['error']>): string =>
  status === 0 ? m.noConnection : errors.join(' ') || m.unknown;
