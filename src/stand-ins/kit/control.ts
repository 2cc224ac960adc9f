import type { CallLog } from './call-log.js';
import { InvalidControlRequest } from './control-fields.js';
import { type FaultQueue, parseFault } from './faults.js';
import type { Ledger } from './ledger.js';
import type { ControlFields, StandInAnswer, StandInNetwork } from './network.js';

interface ControlledParts {
  readonly faults: FaultQueue;
  readonly calls: CallLog;
  readonly ledger: Ledger;
  readonly network: StandInNetwork;
}

/**
 * The controls that all stand-ins share:
 * - `GET | POST | DELETE /_control/faults`: lists, adds or removes faults, see {@link parseFault}; DELETE also clears
 *   the delay
 * - `POST /_control/delay {ms}`: sets a delay before every call
 * - `GET /_control/calls?after=&method=`: lists the latest calls, up to 2,000
 * - `GET /_control/ledger?after=&limit=&channel=`: lists the accepted messages
 *
 * and the network's own controls. Invalid requests get a 400 with a message, unknown controls a 404.
 * @param control such as `POST faults`
 */
export const answerControl = async (
  { faults, calls, ledger, network }: ControlledParts,
  control: string,
  query: URLSearchParams,
  fields: ControlFields,
): Promise<StandInAnswer> => {
  try {
    switch (control) {
      case 'GET faults':
        return ok({ items: faults.list(), delay_ms: faults.delayMs });
      case 'POST faults':
        faults.add(parseFault(fields));
        return ok({ items: faults.list() });
      case 'DELETE faults':
        faults.clear();
        return ok({ items: [] });
      case 'POST delay':
        faults.delayMs = parseMilliseconds(fields['ms']);
        return ok({ delay_ms: faults.delayMs });
      case 'GET calls':
        return ok(calls.list(Number(query.get('after') ?? 0), query.get('method')));
      case 'GET ledger': {
        const items = await ledger.read({
          after: Number(query.get('after') ?? 0),
          limit: Number(query.get('limit') ?? 10_000),
          channel: query.get('channel'),
        });
        return ok({ items, last: ledger.last });
      }
      default: {
        const answer = network.handleControl?.(control, fields);
        return answer ?? { status: 404, body: { error: `unknown control ${control}` } };
      }
    }
  } catch (error) {
    if (error instanceof InvalidControlRequest) return { status: 400, body: { error: error.message } };
    throw error;
  }
};

const ok = (body: object): StandInAnswer => ({ status: 200, body });

const parseMilliseconds = (value: unknown): number => {
  if (typeof value === 'number' && value >= 0 && value <= 600_000) return value;
  throw new InvalidControlRequest('ms must be a number from 0 to 600000');
};
