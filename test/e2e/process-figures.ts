import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Returns the resident memory of a process, in bytes; 0 if the system does not provide it. */
export const readMemory = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
};

/** Open sockets of a process. */
export interface SocketFigures {
  /** All of them: those to the database, clients, pipes to its parent. */
  readonly all: number;
  /** TCP connections to one port in any state, including those that the other side has closed. */
  readonly toPort: number;
}

/** Counts the open sockets of a process; 0 if the system does not list them. @param port of the other side */
export const countSockets = (pid: number, port: number): SocketFigures => {
  try {
    const inodes = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((fd) => readInode(`/proc/${pid}/fd/${fd}`)));
    const connections = ['tcp', 'tcp6'].flatMap((table) =>
      readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1),
    );
    const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const toPort = connections.filter((line) => {
      const [, , address = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
      return address.endsWith(remote) && inodes.has(inode);
    });
    return { all: inodes.size, toPort: toPort.length };
  } catch {
    return { all: 0, toPort: 0 };
  }
};

/** Returns a socket's number; empty if the file is not a socket or has been closed. */
const readInode = (path: string): string[] => {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? [];
  } catch {
    return [];
  }
};
