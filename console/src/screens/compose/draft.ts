import type { Api } from '../../api/management.js';
import type { FormattedText } from '../../editor/marks.js';
import { NO_TEXT } from '../../editor/formatted-text.js';
import { toEntities } from '../../editor/to-entities.js';

/** A medium or button of a draft, as a payload has it. */
export type Medium = Api<'MediaRequest'>;
export type PostButton = Api<'ButtonRequest'>;

/** A post that is being written. */
export interface Draft {
  /** Idempotency key of its publication: however often it is sent, it is one post. */
  readonly key: string;
  /** The content that was sent with the key, if its answer is not known: it may have been accepted. Else null. */
  readonly attempted: string | null;
  readonly text: FormattedText;
  readonly media: readonly Medium[];
  /** Rows of buttons; none is empty. */
  readonly buttons: readonly (readonly PostButton[])[];
  /** Null until one is chosen. */
  readonly endpointId: string | null;
  /** Channels of the endpoint that the post does not go to. */
  readonly leftOut: readonly string[];
  /** Minutes for which the post pauses its project and its channels once it is published. */
  readonly pauses: { readonly project: number; readonly channels: number };
  readonly externalId: string;
  readonly isAdvertisement: boolean;
}

/** Returns a new idempotency key. */
export const createKey = (): string => `console-${crypto.randomUUID()}`;

/** Returns an empty draft. */
export const createDraft = (endpointId: string | null = null): Draft => ({
  key: createKey(),
  attempted: null,
  text: NO_TEXT,
  media: [],
  buttons: [],
  endpointId,
  leftOut: [],
  pauses: { project: 0, channels: 0 },
  externalId: '',
  isAdvertisement: false,
});

/** True if there is nothing to publish. */
export const isEmpty = ({ text, media, buttons }: Draft): boolean =>
  text.text.trim() === '' && media.length === 0 && buttons.length === 0;

/** Returns the body that publishes a draft. @param channelIds of the endpoint */
export const toPayload = (draft: Draft, channelIds: readonly string[]): Api<'PublishPayloadRequest'> => {
  const { text, media, buttons, leftOut, pauses, externalId, isAdvertisement } = draft;
  const entities = toEntities(text);
  const targets = channelIds.filter((id) => !leftOut.includes(id));
  return {
    ...(text.text !== '' && { text: text.text }),
    ...(entities.length > 0 && { entities }),
    ...(media.length > 0 && { media }),
    ...(buttons.length > 0 && { buttons }),
    ...(targets.length < channelIds.length && { targets: targets.map((id) => ({ id })) }),
    ...(pauses.project > 0 && { ad_pause_minutes: pauses.project }),
    ...(pauses.channels > 0 && { ad_target_pause_minutes: pauses.channels }),
    ...(isAdvertisement && { is_advertisement: true }),
    ...(externalId !== '' && { external_id: externalId }),
  };
};
