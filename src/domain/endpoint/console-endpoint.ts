import { deriveTimedId } from '../../kernel/ids.js';

/** Hex digits of an id that hold its time, after the prefix. */
const TIME_DIGITS = [3, 15] as const;

/**
 * Returns the id of the endpoint through which the console publishes an owner's posts. It derives from the owner, so
 * that the endpoint exists once however many tabs ask for it, and every process recognizes it.
 * @param generation 0 for the first; one more for each that was deleted
 */
export const consoleEndpointId = (ownerId: string, generation: number): string =>
  deriveTimedId('ep', `console-endpoint/${ownerId}`, generation);

/** Returns whether an endpoint is the console's own. */
export const isConsoleEndpoint = (endpointId: string, ownerId: string): boolean =>
  endpointId === consoleEndpointId(ownerId, parseInt(endpointId.slice(...TIME_DIGITS), 16) || 0);
