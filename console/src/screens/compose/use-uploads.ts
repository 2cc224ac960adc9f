import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from 'react';
import { fileName } from '../../../../stand-ins/walls/readers-view.js';
import { GatewayError } from '../../api/management.js';
import { nameOfUpload, uploadFile } from '../../api/upload.js';
import type { Medium } from './draft.js';

/** Maximum number of media files in a post. */
export const MAX_MEDIA = 10;

/** A file that is being uploaded, or could not be. */
export interface PendingFile {
  readonly key: number;
  readonly file: File;
  /** The part that has been sent, from 0 to 1. */
  readonly part: number;
  /** Null while it is being sent. */
  readonly error: GatewayError | null;
}

/** Files on their way into a post, and the functions that add and remove them. */
export interface Uploads {
  readonly pending: readonly PendingFile[];
  readonly add: (files: Iterable<File>) => void;
  readonly retry: (pending: PendingFile) => void;
  readonly remove: (pending: PendingFile) => void;
  /** True while files are dragged over the post. */
  readonly isOver: boolean;
  /** Handlers for the element that files may be dropped or pasted on. */
  readonly target: {
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDragLeave: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
    readonly onPasteCapture: (event: ClipboardEvent) => void;
  };
}

let lastKey = 0;

/** Uploads files for a post, several at once, and adds each to its media once the gateway has it. */
export const useUploads = (
  ownerId: string,
  media: readonly Medium[],
  onChange: (media: readonly Medium[]) => void,
): Uploads => {
  const [pending, setPending] = useState<readonly PendingFile[]>([]);
  const [isOver, setIsOver] = useState(false);
  // Files that end at the same moment must not lose each other.
  const latest = useRef({ media, onChange });
  const stops = useRef(new Map<number, AbortController>());
  useEffect(() => {
    latest.current = { media, onChange };
  }, [media, onChange]);
  useEffect(() => {
    const running = stops.current;
    return () => running.forEach((stop) => stop.abort());
  }, []);

  const change = (key: number, by: Partial<PendingFile>): void =>
    setPending((all) => all.map((each) => (each.key === key ? { ...each, ...by } : each)));
  const remove = ({ key }: PendingFile): void => {
    stops.current.get(key)?.abort();
    setPending((all) => all.filter((each) => each.key !== key));
  };
  const send = async (started: PendingFile): Promise<void> => {
    const stop = new AbortController();
    stops.current.set(started.key, stop);
    try {
      const onProgress = (part: number) => change(started.key, { part });
      const { id, type } = await uploadFile(ownerId, started.file, { onProgress, signal: stop.signal });
      const { media: now, onChange: tell } = latest.current;
      const next = [...now, { type, id }];
      latest.current = { media: next, onChange: tell };
      setPending((all) => all.filter((each) => each.key !== started.key));
      tell(next);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (!stop.signal.aborted) change(started.key, { error });
    } finally {
      stops.current.delete(started.key);
    }
  };
  const add = (files: Iterable<File>): void => {
    const room = Math.max(0, MAX_MEDIA - media.length - pending.length);
    const begun = [...files].slice(0, room).map((file) => ({ key: ++lastKey, file, part: 0, error: null }));
    setPending((all) => [...all, ...begun]);
    for (const each of begun) void send(each);
  };
  const retry = (failed: PendingFile): void => {
    change(failed.key, { error: null, part: 0 });
    void send(failed);
  };
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');
  const target: Uploads['target'] = {
    onDragOver: (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave: ({ currentTarget, relatedTarget }) => {
      if (!currentTarget.contains(relatedTarget as Node | null)) setIsOver(false);
    },
    onDrop: (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      add(event.dataTransfer.files);
    },
    onPasteCapture: (event) => {
      // Office programs paste a picture of the text beside the text.
      const { files, types } = event.clipboardData;
      if (files.length === 0 || types.includes('text/plain')) return;
      event.preventDefault();
      event.stopPropagation();
      add(files);
    },
  };
  return { pending, add, retry, remove, isOver, target };
};

/** Returns the name of a file that people recognise. */
export const nameOfMedium = ({ id, url }: Medium): string =>
  id === undefined ? fileName(url ?? '') : nameOfUpload(id);
