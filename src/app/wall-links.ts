import type { ConnectedPublisher, LookUpResult, PlatformChannel, StepOutcome } from '../platforms/publisher.js';

/**
 * Makes the links of what a stand-in publishes lead to its wall, where the post is: the network's own addresses would
 * lead to chats of others.
 * @param readBaseUrl returns the gateway's address, which is not known before its server listens; empty or null in a
 * process without one
 */
export const linkToWall = (publisher: ConnectedPublisher, readBaseUrl: () => string | null): ConnectedPublisher => {
  const onWall = <T extends StepOutcome>(outcome: T, { address }: PlatformChannel): T => {
    const baseUrl = readBaseUrl() ?? '';
    if (baseUrl === '' || outcome.kind !== 'done' || outcome.urls.length === 0) return outcome;
    const chat = address['chat_id'] ?? address['group_id'] ?? Object.values(address)[0] ?? '';
    const place = `${baseUrl}/walls#${publisher.platform}/${chat}/`;
    return { ...outcome, urls: outcome.messageIds.map((id) => place + id) };
  };
  return {
    ...publisher,
    send: async (step, context) => onWall(await publisher.send(step, context), context.channel),
    ...('lookUp' in publisher && {
      lookUp: async (step, context, send): Promise<LookUpResult> => {
        const found = await publisher.lookUp!(step, context, send);
        return found.kind === 'sent' ? { ...found, outcome: onWall(found.outcome, context.channel) } : found;
      },
    }),
  };
};
