import type { CurrentOverviewView } from '../../../src/api/management/overview/overview.view.js';
import { until } from '../../e2e/until.js';
import type { Caller, ManagementHarness } from './management-harness.js';
import type { PublishingSetup } from './publishing-setup.js';

/** Reads the overview. */
export const readOverview = async (caller: Caller, query = ''): Promise<CurrentOverviewView> =>
  (await caller.get(`/overview${query}`).expect(200)).body;

/** Returns a network of an overview. */
export const networkOf = ({ networks }: CurrentOverviewView, platform = 'telegram') =>
  networks.find((network) => network.platform === platform)!;

/** Returns the things that need attention, by code. */
export const attentionOf = ({ attention }: CurrentOverviewView, code: string) =>
  attention.find((each) => each.code === code);

/** Waits until the overview shows something. */
export const waitForOverview = (
  caller: Caller,
  what: string,
  isShown: (overview: CurrentOverviewView) => unknown,
): Promise<CurrentOverviewView> =>
  until(`the overview shows ${what}`, async () => {
    const overview = await readOverview(caller);
    return isShown(overview) ? overview : null;
  });

/** The network's answer to a post. */
export const answering = (error_code: number, description: string, parameters?: object) => ({
  mode: 'answer',
  status: error_code,
  body: { ok: false, error_code, description, parameters },
});

/** The network breaks the connection before it answers. */
export const BREAKING_OFF = { mode: 'accept_then_drop', method: 'sendMessage' };

/** Adds a fault of the network to the channel of a setup. */
export const addFault = (harness: ManagementHarness, { channel }: PublishingSetup, fault: object): Promise<unknown> =>
  harness.telegram.addFault({ ...fault, channel: channel.chatId } as never);
