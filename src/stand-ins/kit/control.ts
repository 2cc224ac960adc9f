import type { CallLog } from './call-log.js';
import { type FaultQueue, parseFault } from './faults.js';
import { InvalidControlRequest } from './invalid-control-request.js';
import type { Ledger } from './ledger.js';
import type { StandInAnswer, StandInNetwork } from './network.js';

interface ControlledParts {
  readonly faults: FaultQueue;
  readonly calls: CallLog;
  readonly ledger: Ledger;
  readonly network: StandInNetwork;
}

interface ControlRequest {
  readonly httpMethod: string;
  /** The path after `/_control/`. */
  readonly path: string;
  readonly url: URL;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * The controls that all stand-ins share:
 * - `GET | POST | DELETE /_control/faults`: lists, adds or removes faults, see {@link parseFault}; DELETE also clears
 *   the delay
 * - `POST /_control/delay {ms}`: sets a delay before every call
 * - `GET /_control/calls?after=&method=`: lists the latest calls, up to 2,000
 * - `GET /_control/ledger?after=&limit=&channel=`: lists the accepted messages
 *
 * and the network's own controls. Answers invalid requests with 400 and a message, unknown controls with 404.
 */
export const answerControl = async (parts: ControlledParts, request: ControlRequest): Promise<StandInAnswer> => {
  const { faults, calls, ledger, network } = parts;
  const { searchParams } = request.url;
  try {
    switch (`${request.httpMethod} ${request.path}`) {
      case 'GET faults':
        return ok({ items: faults.list(), delay_ms: faults.delayMs });
      case 'POST faults':
        faults.add(parseFault(request.fields));
        return ok({ items: faults.list() });
      case 'DELETE faults':
        faults.clear();
        return ok({ items: [] });
      case 'POST delay':
        faults.delayMs = parseMilliseconds(request.fields['ms']);
        return ok({ delay_ms: faults.delayMs });
      case 'GET calls':
        return ok(calls.list(Number(searchParams.get('after') ?? 0), searchParams.get('method')));
      case 'GET ledger': {
        const channel = searchParams.get('channel');
        const items = await ledger.read({
          after: Number(searchParams.get('after') ?? 0),
          limit: Number(searchParams.get('limit') ?? 10_000),
          ...(channel === null ? {} : { channel }),
        });
        return ok({ items, last: ledger.last });
      }
      default:
        return (
          network.handleControl?.(request.httpMethod, request.path, request.fields) ?? {
            status: 404,
            body: { error: `unknown control ${request.httpMethod} ${request.path}` },
          }
        );
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
