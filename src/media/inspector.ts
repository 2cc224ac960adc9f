import type * as FileType from 'file-type';
import type * as ImageSize from 'image-size';
import type * as MediaInfoJs from 'mediainfo.js';
import { type Log, silentLog } from '../kernel/log.js';
import type { FilePart } from './download.js';
import { buildProgram, HelperProcess, type HelperProgram } from './helper.js';

/** A request to determine a file's type and facts from some of its ranges. The first range begins at 0. */
export interface InspectionRequest {
  /** Length of the whole file; null if unknown. */
  readonly sizeBytes: number | null;
  readonly parts: readonly FilePart[];
  /** Asks for the cover picture of a video instead of its facts. */
  readonly wantsCover?: boolean;
}

/** What is known about a file after parts of it were read. */
export interface Inspection {
  /** Extension of the real type, detected from the bytes: `jpg`, `mp4`; `html` for a web page; null if unknown. */
  readonly extension: string | null;
  readonly mime: string | null;
  /** Pixels, for images and videos. */
  readonly width?: number;
  readonly height?: number;
  /** Like the tracks below, known only for MP4, QuickTime, WebM and similar formats. */
  readonly durationSeconds?: number;
  readonly hasVideo?: boolean;
  readonly hasAudio?: boolean;
  /** Bytes of the cover picture, if it was asked for and the file has one; of any format, and not checked. */
  readonly cover?: Uint8Array;
  /** Offset of bytes that would reveal more facts; absent if there are none. */
  readonly needs?: number;
}

/**
 * Parses untrusted files in a helper process (see helper.ts).
 * @param libraries URLs of the libraries
 * @param maxWasmBytes memory limit of the WebAssembly code that parses videos
 */
const inspectorProgram = async (
  libraries: Readonly<Record<'fileType' | 'imageSize' | 'mediaInfo', string>>,
  maxWasmBytes: number,
): Promise<(question: InspectionRequest) => Promise<Inspection>> => {
  const PAGE = 65_536;
  type Memory = { readonly buffer: ArrayBuffer; grow: (this: Memory, pages: number) => number };
  const memory = (globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }).WebAssembly.Memory
    .prototype;
  const { grow } = memory;
  memory.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE > maxWasmBytes) throw new RangeError('no more memory for media');
    return grow.call(this, pages);
  };

  const { fileTypeFromBuffer } = (await import(libraries.fileType)) as typeof FileType;
  const { imageSize } = (await import(libraries.imageSize)) as typeof ImageSize;
  const { mediaInfoFactory } = (await import(libraries.mediaInfo)) as typeof MediaInfoJs;
  const analysers: { facts?: MediaInfoJs.MediaInfo; cover?: MediaInfoJs.MediaInfo } = {};

  const inspect = async ({ sizeBytes, parts, wantsCover }: InspectionRequest): Promise<Inspection> => {
    const head = parts[0]?.bytes ?? new Uint8Array();
    const type = await fileTypeFromBuffer(head);
    if (!type && isWebPage(head)) return { extension: 'html', mime: 'text/html' };
    if (!type)
      return (await isMp3(parts, sizeBytes))
        ? { extension: 'mp3', mime: 'audio/mpeg' }
        : { extension: null, mime: null };
    const known = { extension: type.ext, mime: type.mime };
    if (['jpg', 'png', 'apng', 'webp'].includes(type.ext)) return { ...known, ...imageFacts(parts, sizeBytes) };
    if (['mp4', 'm4v', 'm4a', 'm4b', 'mov', 'webm'].includes(type.ext))
      return { ...known, ...(await (wantsCover ? videoCover : videoFacts)(parts, sizeBytes)) };
    return known;
  };

  const isWebPage = (head: Uint8Array): boolean =>
    /^\s*<(?:!doctype\s+html|html|head|body|script|meta|title)\b/i.test(
      new TextDecoder().decode(head.subarray(0, 1_024)).replace(/^\s*(?:<\?xml[^>]*>|<!--[^]*?-->)/, ''),
    );

  const imageFacts = (parts: readonly FilePart[], sizeBytes: number | null): Partial<Inspection> => {
    const head = joined(parts);
    try {
      const { width, height } = imageSize(head);
      if (width > 0 && height > 0) return { width, height };
    } catch {
      // The size is not in these bytes.
    }
    return head.length < (sizeBytes ?? Infinity) ? { needs: head.length } : {};
  };

  /** Joins the ranges that are contiguous from the file's start. */
  const joined = (parts: readonly FilePart[]): Uint8Array => {
    const bytes: Uint8Array[] = [];
    let end = 0;
    for (const part of parts) {
      if (part.offset !== end) break;
      bytes.push(part.bytes);
      end += part.bytes.length;
    }
    return Buffer.concat(bytes);
  };

  const videoFacts = async (parts: readonly FilePart[], sizeBytes: number | null): Promise<Partial<Inspection>> => {
    const { tracks, needs } = await analysed(parts, sizeBytes);
    const video = tracks.find((track) => track['@type'] === 'Video');
    const seconds = Math.max(...tracks.map((track) => ('Duration' in track && Number(track.Duration)) || 0));
    return {
      ...(seconds > 0 && { durationSeconds: seconds }),
      ...(video?.Width && video.Height && sizeOnScreen(video.Width, video.Height, video.Rotation)),
      hasVideo: video !== undefined,
      hasAudio: tracks.some((track) => track['@type'] === 'Audio'),
      ...(needs !== undefined && !(seconds > 0 && video) && { needs }),
    };
  };

  const videoCover = async (parts: readonly FilePart[], sizeBytes: number | null): Promise<Partial<Inspection>> => {
    const { tracks, needs } = await analysed(parts, sizeBytes, 'cover');
    const general = tracks.find((track) => track['@type'] === 'General');
    // Of several pictures, the first is the front cover.
    const [picture = ''] = String(general?.Cover_Data ?? '').split(' / ');
    return picture === '' ? { ...(needs !== undefined && { needs }) } : { cover: Buffer.from(picture, 'base64') };
  };

  /** A phone stores a portrait video as a landscape one with a rotation. */
  const sizeOnScreen = (width: number, height: number, rotation: unknown): { width: number; height: number } =>
    Math.round(Math.abs(Number(rotation ?? 0))) % 180 === 90 ? { width: height, height: width } : { width, height };

  /** Searches for the first frame. In some MP3s, silence or the end of another file comes before it. */
  const isMp3 = async (parts: readonly FilePart[], sizeBytes: number | null): Promise<boolean> =>
    (await analysed(parts, sizeBytes)).tracks.some(
      (track) => track['@type'] === 'Audio' && track.Format === 'MPEG Audio' && track.Format_Profile === 'Layer 3',
    );

  const analysed = async (
    parts: readonly FilePart[],
    sizeBytes: number | null,
    wanted: keyof typeof analysers = 'facts',
  ) => {
    let needs: number | undefined;
    let reads = 0;
    const read = (length: number, offset: number): Uint8Array => {
      const part = parts.find((one) => offset >= one.offset && offset < one.offset + one.bytes.length);
      if (part && reads++ < 1_000) return part.bytes.subarray(offset - part.offset, offset - part.offset + length);
      needs = offset;
      return new Uint8Array();
    };
    try {
      const mediaInfo = (analysers[wanted] ??= await mediaInfoFactory({
        format: 'object',
        coverData: wanted === 'cover',
      }));
      const known = joined(parts).length;
      const { media } = await mediaInfo.analyzeData(sizeBytes ?? known, read);
      return { tracks: media?.track ?? [], needs: needs ?? (sizeBytes === null ? known : undefined) };
    } catch (error) {
      delete analysers[wanted]; // Its memory may be inconsistent, so it is not used again.
      throw error;
    }
  };

  return inspect;
};

/** Options for an {@link Inspector}. */
export interface InspectorOptions {
  /** Time limit for one file, in ms; default 1 s. */
  readonly timeoutMs?: number;
  /** Memory limit of the WebAssembly code that parses videos; default 256 MB. */
  readonly maxWasmBytes?: number;
  /** Replaces the parsers; for tests. */
  readonly program?: HelperProgram<InspectionRequest, Inspection>;
  readonly log?: Log;
}

/** Determines the type and facts of files from some of their ranges, one file at a time, in a helper process. */
export class Inspector {
  private readonly helper: HelperProcess<InspectionRequest, Inspection>;
  private readonly log: Log;

  constructor({ timeoutMs = 1_000, maxWasmBytes = 256 * 1_048_576, program, log = silentLog }: InspectorOptions = {}) {
    this.helper = new HelperProcess({
      program: program ?? buildProgram(inspectorProgram, LIBRARIES, maxWasmBytes),
      libraries: Object.values(LIBRARIES),
      timeoutMs,
      maxHeapMb: 128,
      maxMemoryMb: 1_024,
    });
    this.log = log;
  }

  /**
   * @param signal skips the file if it aborts before the file's turn
   * @param owner owners are served in turn
   * @returns null if a parser failed or took too long, or the request was withdrawn: nothing is certain
   */
  async inspect(question: InspectionRequest, signal?: AbortSignal, owner?: string): Promise<Inspection | null> {
    const reply = await this.helper.ask(question, signal, owner);
    if ('answer' in reply) return reply.answer;
    if ('withdrawn' in reply) return null;
    const what = reply.died ? 'the process that parses media is restarted' : 'a media file could not be parsed';
    this.log.warn({ reason: reply.failed }, what);
    return null;
  }

  /** Kills the process. Waiting calls return null. */
  close(): void {
    this.helper.close();
  }
}

const LIBRARIES = {
  fileType: import.meta.resolve('file-type'),
  imageSize: import.meta.resolve('image-size'),
  mediaInfo: import.meta.resolve('mediainfo.js'),
};
