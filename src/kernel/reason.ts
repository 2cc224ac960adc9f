/**
 * What an error says, in one line for a log. Where several addresses were tried, Node's error has no words of its own:
 * those of the tries are told, each once.
 */
export const reasonOf = (error: unknown): string => {
  // By shape, not by class: errors of Node itself may come from another realm than ours.
  if (typeof error !== 'object' || error === null) return String(error);
  const { errors, message, name } = error as { errors?: unknown; message?: unknown; name?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return [...new Set(errors.map(reasonOf))].join('; ');
  if (typeof message === 'string' && message !== '') return message;
  return typeof name === 'string' && name !== '' ? name : 'no reason told';
};
