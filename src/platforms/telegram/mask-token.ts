import type { TelegramFailure } from './classify.js';

/** Masks the token in an error message, because Telegram may echo it there. */
export const maskToken = (failure: TelegramFailure, token: string): TelegramFailure => {
  const mask = (words: string): string => words.replaceAll(token, '***').replaceAll(encodeURIComponent(token), '***');
  if (failure.kind === 'refused') return { ...failure, description: mask(failure.description) };
  return failure.kind === 'unreadable' ? { ...failure, says: mask(failure.says ?? '') } : failure;
};
