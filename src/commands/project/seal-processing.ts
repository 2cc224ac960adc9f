import type { Processing, Translation } from '../../domain/project/processing.js';
import { project } from '../../domain/project/project.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { streamOf } from '../../kernel/decider.js';
import { deriveUuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { SecretVault } from '../../secrets/vault.js';

/** Processing as the client sent it, with the translation service's API key in the clear. */
export interface UnsealedProcessing {
  readonly processing: Processing;
  /** API key of the translation service; null removes it; undefined keeps the key stored for the same URL. */
  readonly translationKey?: string | null;
}

/** Returns the id of the API key stored for the same URL, to use if the client sends no key. */
export const findKeptKeyId = ({ url }: Translation, current: Processing): string | undefined =>
  current.translation?.url === url ? current.translation.api_key_id : undefined;

/**
 * Returns processing as stored in events: it contains only the id of the translation key, which is encrypted in the
 * vault.
 */
export const sealProcessing = async (
  vault: SecretVault,
  { processing, translationKey }: UnsealedProcessing,
  current: Processing,
  projectId: string,
  { commandId }: CommandContext,
): Promise<JsonObject> => {
  const { translation, ...rest } = processing;
  if (!translation) return asJson(rest);
  const keyId =
    typeof translationKey === 'string'
      ? await vault.storeSecret(
          { api_key: translationKey },
          streamOf(project, projectId),
          deriveUuid(`${commandId}/translation-key`),
        )
      : translationKey === undefined
        ? findKeptKeyId(translation, current)
        : undefined;
  return asJson({ ...rest, translation: keyId === undefined ? translation : { ...translation, api_key_id: keyId } });
};

const asJson = (processing: Processing): JsonObject => processing as unknown as JsonObject;
