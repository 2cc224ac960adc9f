import type { Log } from '../kernel/log.js';
import { buildProgram, HelperProcess } from './helper-process.js';
import { HELPER_MESSAGES } from './messages.js';

/** Isolation of helper processes, as shown by /readyz; each value is `ok` or says what is missing. */
export interface HelperReport {
  /** Whether their JavaScript can read nothing but libraries and cannot start processes. */
  readonly files: string;
  /** Whether they are isolated from the network. */
  readonly network: string;
  /** Whether the kernel limits their memory. */
  readonly memory: string;
}

/** The rights that a helper process actually has. */
interface FoundRights {
  readonly permissions: boolean;
  /** Names of network interfaces that are up. */
  readonly interfaces: readonly string[];
  readonly isMemoryLimited: boolean;
}

/** Runs in the helper process. */
const findRights = async (): Promise<() => Promise<FoundRights>> => {
  const os = await import('node:os');
  const attempt = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch {
      return otherwise;
    }
  };
  return async () => {
    const { userLimits = {} } = attempt(() => process.report.getReport() as never, {}) as {
      userLimits?: Readonly<Record<string, { soft: unknown } | undefined>>;
    };
    const data = userLimits.data_seg_size_bytes ?? userLimits.data_seg_size_kbytes; // name in Node 20
    return {
      permissions: (process as { permission?: object }).permission !== undefined,
      interfaces: attempt(() => Object.keys(os.networkInterfaces()), ['unknown']),
      isMemoryLimited: typeof data?.soft === 'number',
    };
  };
};

/** Checks how well helper processes are isolated on this machine, by starting one (ADR-216). */
export class HelperCheck {
  private readonly helper = new HelperProcess<object, FoundRights>({
    program: buildProgram(findRights),
    libraries: [],
    maxHeapMb: 64,
    maxMemoryMb: 1_024,
    timeoutMs: 30_000,
  });
  private found: HelperReport | null = null;

  constructor(private readonly log: Log) {}

  /** Null until it is known. */
  get report(): HelperReport | null {
    return this.found;
  }

  /** Runs the check once, and logs any missing isolation. Never throws. */
  async run(): Promise<void> {
    const reply = await this.helper.ask({});
    this.helper.close();
    if ('withdrawn' in reply) return;
    this.found = 'answer' in reply ? describeRights(reply.answer) : describeFailure(reply.failed);
    const missing = Object.values(this.found).filter((one) => one !== 'ok');
    if (missing.length > 0) this.log.warn({ missing: [...new Set(missing)] }, HELPER_MESSAGES.lessIsolated);
  }

  close(): void {
    this.helper.close();
  }
}

const describeRights = ({ permissions, interfaces, isMemoryLimited }: FoundRights): HelperReport => ({
  files: permissions ? 'ok' : HELPER_MESSAGES.filesNotIsolated,
  network: interfaces.length === 0 ? 'ok' : HELPER_MESSAGES.networkNotIsolated,
  memory: isMemoryLimited ? 'ok' : HELPER_MESSAGES.memoryNotLimited,
});

const describeFailure = (reason: string): HelperReport => {
  const problem = HELPER_MESSAGES.helperFails({ reason });
  return { files: problem, network: problem, memory: problem };
};
