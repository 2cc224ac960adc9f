import { join, resolve } from 'node:path';
import { SETTING_MESSAGES } from './messages.js';
import { MASK, maskBaseUrl } from './redact.js';
import { defaulted, matching, optional, parseBaseUrl, parseOnOff, type Setting } from './setting.js';

/** Where uploaded files are stored (D-92). */
export type MediaStoreSettings = { readonly folder: string } | S3StoreSettings;

/** A bucket on an S3-compatible server. */
export interface S3StoreSettings {
  readonly bucket: string;
  /** Start of the keys, ending with a slash; empty for the whole bucket. */
  readonly prefix: string;
  /** Null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  /** True if the bucket is in the path of the URLs, not in the host name. */
  readonly pathStyle: boolean;
  /** Null if the client finds credentials itself. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

const DAY_MS = 86_400_000;

/** Parses a number of days above 0, which may have decimals. Returns ms. */
const parseDays = (text: string): number => {
  const days = matching(/^\d{1,5}(\.\d{1,9})?$/)(text);
  return Math.max(1, Math.round(Number(days) * DAY_MS));
};

/** Settings of the store of uploaded files. */
export const mediaSettings = {
  MEDIA_STORE: optional('DATA_DIR/uploads', {
    takes: 'a folder, or s3://bucket or s3://bucket/prefix',
    description: 'store of uploaded files; the same for every process',
    read: matching(/^(?!s3:)[^\0]+$|^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w!.*'()-]+)*\/?$/),
    show: ({ mediaStore: store }) => ('folder' in store ? store.folder : `s3://${store.bucket}/${store.prefix}`),
  }),
  MEDIA_S3_ENDPOINT: optional('AWS', {
    takes: 'an http or https URL',
    description: 'S3-compatible server of the store',
    hide: maskBaseUrl,
    read: parseBaseUrl,
    show: ({ mediaStore }) => ('endpoint' in mediaStore ? mediaStore.endpoint : null) ?? 'AWS',
  }),
  MEDIA_S3_REGION: defaulted('us-east-1', {
    takes: 'a region, e.g. eu-central-1',
    description: 'region of the S3 store',
    read: matching(/^[a-z0-9-]{1,64}$/),
    show: ({ mediaStore }) => ('region' in mediaStore ? mediaStore.region : '(no S3)'),
  }),
  MEDIA_S3_PATH_STYLE: optional('on with MEDIA_S3_ENDPOINT, else off', {
    takes: '"on" or "off"',
    description: 'on: the bucket is in the path of the URLs; off: in the host name',
    read: parseOnOff,
    show: ({ mediaStore }) => ('pathStyle' in mediaStore && mediaStore.pathStyle ? 'on' : 'off'),
  }),
  MEDIA_S3_ACCESS_KEY_ID: optional("the S3 client's own search", {
    takes: 'visible ASCII characters without spaces',
    description: 'access key of the S3 store',
    hide: () => MASK,
    mayBeFile: true,
    read: matching(/^[\x21-\x7e]{1,512}$/),
    show: ({ mediaStore }) => ('credentials' in mediaStore && mediaStore.credentials ? MASK : 'none'),
  }),
  MEDIA_S3_SECRET_ACCESS_KEY: optional("the S3 client's own search", {
    takes: 'visible ASCII characters without spaces',
    description: 'secret of the access key',
    hide: () => MASK,
    mayBeFile: true,
    read: matching(/^[\x21-\x7e]{1,512}$/),
    show: ({ mediaStore }) => ('credentials' in mediaStore && mediaStore.credentials ? MASK : 'none'),
  }),
  MEDIA_DAYS: defaulted('30', {
    takes: 'days up to 99999, with decimals if needed, e.g. 0.5',
    description: 'how long an uploaded file is kept after the last post that needs it, or after its upload',
    read: parseDays,
    show: (s) => String(s.mediaMs / DAY_MS),
  }),
} satisfies Record<string, Setting>;

/** The parsed values that {@link mediaStoreOf} needs. */
interface MediaValues {
  readonly MEDIA_STORE: string | null;
  readonly MEDIA_S3_ENDPOINT: string | null;
  readonly MEDIA_S3_REGION: string;
  readonly MEDIA_S3_PATH_STYLE: boolean | null;
  readonly MEDIA_S3_ACCESS_KEY_ID: string | null;
  readonly MEDIA_S3_SECRET_ACCESS_KEY: string | null;
}

/** Returns the store that the settings describe. @param dataDir absolute path */
export const mediaStoreOf = (values: MediaValues, dataDir: string): MediaStoreSettings => {
  const { MEDIA_STORE: store, MEDIA_S3_ENDPOINT: endpoint, MEDIA_S3_REGION: region } = values;
  if (store === null) return { folder: join(dataDir, 'uploads') };
  if (!store.startsWith('s3://')) return { folder: resolve(store) };
  const [bucket = '', ...path] = store.slice('s3://'.length).replace(/\/$/, '').split('/');
  const { MEDIA_S3_ACCESS_KEY_ID: accessKeyId, MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  return {
    bucket,
    prefix: path.length > 0 ? `${path.join('/')}/` : '',
    endpoint,
    region,
    pathStyle: values.MEDIA_S3_PATH_STYLE ?? endpoint !== null,
    credentials: accessKeyId !== null && secretAccessKey !== null ? { accessKeyId, secretAccessKey } : null,
  };
};

/** Finds a contradiction. A value is undefined if reading it failed. */
export const mediaStoreProblem = (values: Partial<MediaValues>): string | null => {
  const { MEDIA_S3_ACCESS_KEY_ID: id, MEDIA_S3_SECRET_ACCESS_KEY: secret } = values;
  const isIncomplete = (id === null && typeof secret === 'string') || (typeof id === 'string' && secret === null);
  return isIncomplete ? SETTING_MESSAGES.s3Incomplete : null;
};
