import type { TelegramFailure } from './classify.js';

/** Masks the token in the text of an error, because Telegram may echo the token there. */
export const maskToken = (failure: TelegramFailure, token: string): TelegramFailure => {
  const mask = (words: string): string => words.replaceAll(token, '***').replaceAll(encodeURIComponent(token), '***');
  if (failure.kind === 'refused') return { ...failure, description: mask(failure.description) };
  return failure.kind === 'unreadable' ? { ...failure, says: mask(failure.says ?? '') } : failure;
};
