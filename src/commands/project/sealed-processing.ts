import type { Processing } from '../../domain/project/processing.js';
import type { Execution } from '../../event-store/codec.js';
import { derivedUuid } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { SecretVault } from '../../secrets/vault.js';

/** Processing as it was sent. */
export interface ProcessingDraft {
  readonly processing: Processing;
  /** API key of the translation service; null: none any more; undefined: the one that the same address has already. */
  readonly translationKey?: string | null;
}

/** Processing as events hold it: the translation's key is sealed, and only its id is told. */
export const sealedProcessing = async (
  vault: SecretVault,
  { processing, translationKey }: ProcessingDraft,
  before: Processing,
  { commandId }: Execution,
): Promise<JsonObject> => {
  const { translation, ...rest } = processing;
  if (!translation) return asJson(rest);
  const kept = before.translation?.url === translation.url ? before.translation.api_key_id : undefined;
  const keyId =
    typeof translationKey === 'string'
      ? await vault.put({ api_key: translationKey }, derivedUuid(`${commandId}/translation-key`))
      : translationKey === undefined
        ? kept
        : undefined;
  return asJson({ ...rest, translation: keyId === undefined ? translation : { ...translation, api_key_id: keyId } });
};

const asJson = (processing: Processing): JsonObject => processing as unknown as JsonObject;
