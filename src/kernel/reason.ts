/**
 * Returns an error's message as a single log line. If Node tried several addresses, its error has no message, so this
 * joins the distinct messages of the attempts.
 */
export const reasonOf = (error: unknown): string => {
  // Checked by shape, not by class: Node's own errors may come from another realm.
  if (typeof error !== 'object' || error === null) return String(error);
  const { errors, message, name } = error as { errors?: unknown; message?: unknown; name?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return [...new Set(errors.map(reasonOf))].join('; ');
  if (typeof message === 'string' && message !== '') return message;
  return typeof name === 'string' && name !== '' ? name : 'no reason given';
};
