/** Limits of a {@link MemoryBudget}. */
export interface MemoryBounds {
  /** Limit for all holders together, in bytes. */
  readonly bytes: number;
  /** Limit per holder in bytes; a holder's only reservation may exceed it. */
  readonly bytesPerHolder: number;
  /** Maximum number of waiting reservations. */
  readonly waiting: number;
  /** How long a reservation may wait, in ms. */
  readonly waitMs: number;
}

/** Memory reserved from a {@link MemoryBudget}. Always release it, even if it is still waiting. */
export interface MemoryReservation {
  /** True from the grant until the release. */
  readonly isGranted: boolean;
  /**
   * Resolves to true when granted; to false if it waited too long, too many others were waiting, or it was released.
   */
  readonly granted: Promise<boolean>;
  release(): void;
}

/**
 * Limits the memory of concurrent work. Reservations are granted in order of arrival, but a holder that has used up its
 * share does not delay others. The caller decides who the holders are, such as owners.
 */
export class MemoryBudget {
  private used = 0;
  private readonly usedByHolder = new Map<string, number>();
  private readonly queue = new Set<Reservation>();

  constructor(private readonly bounds: MemoryBounds) {}

  /** Number of bytes that are currently reserved. */
  get usedBytes(): number {
    return this.used;
  }

  /** Number of waiting reservations. */
  get waiting(): number {
    return this.queue.size;
  }

  /** Reserves bytes, at once or as soon as they are free. */
  reserve(holder: string, bytes: number): MemoryReservation {
    const reservation = new Reservation(holder, bytes, (ended) => this.end(ended));
    const mustWait = !this.hasRoomFor(reservation) || this.waitsFor(holder);
    if (!mustWait) this.grant(reservation);
    else if (this.queue.size >= this.bounds.waiting) reservation.release();
    else {
      this.queue.add(reservation);
      reservation.expireAfter(this.bounds.waitMs);
    }
    return reservation;
  }

  /**
   * Reserves bytes that are already in memory, without waiting. Up to twice the limits may be reserved.
   * @returns null if the reservation would exceed twice a limit
   */
  reserveHeld(holder: string, bytes: number): MemoryReservation | null {
    const { bytes: all, bytesPerHolder } = this.bounds;
    if (this.used + bytes > 2 * all || this.usedBy(holder) + bytes > 2 * bytesPerHolder) return null;
    const reservation = new Reservation(holder, bytes, (ended) => this.end(ended));
    this.grant(reservation);
    return reservation;
  }

  private usedBy(holder: string): number {
    return this.usedByHolder.get(holder) ?? 0;
  }

  private hasShareFor({ holder, bytes }: Reservation): boolean {
    const used = this.usedBy(holder);
    return used === 0 || used + bytes <= this.bounds.bytesPerHolder;
  }

  private hasRoomFor(reservation: Reservation): boolean {
    return this.hasShareFor(reservation) && (this.used === 0 || this.used + reservation.bytes <= this.bounds.bytes);
  }

  /** True if a new reservation must wait for an earlier one by the same holder, or by a holder with share left. */
  private waitsFor(holder: string): boolean {
    for (const earlier of this.queue) if (earlier.holder === holder || this.hasShareFor(earlier)) return true;
    return false;
  }

  private grant(reservation: Reservation): void {
    this.used += reservation.bytes;
    this.usedByHolder.set(reservation.holder, this.usedBy(reservation.holder) + reservation.bytes);
    reservation.grant();
  }

  private end(reservation: Reservation): void {
    this.queue.delete(reservation);
    if (reservation.isGranted) {
      this.used -= reservation.bytes;
      const left = this.usedBy(reservation.holder) - reservation.bytes;
      if (left > 0) this.usedByHolder.set(reservation.holder, left);
      else this.usedByHolder.delete(reservation.holder);
    }
    this.grantWaiting();
  }

  private grantWaiting(): void {
    for (const reservation of this.queue) {
      if (!this.hasShareFor(reservation)) continue;
      if (!this.hasRoomFor(reservation)) return;
      this.queue.delete(reservation);
      this.grant(reservation);
    }
  }
}

class Reservation implements MemoryReservation {
  isGranted = false;
  readonly granted: Promise<boolean>;
  private settle!: (isGranted: boolean) => void;
  private isEnded = false;
  private expiry: NodeJS.Timeout | undefined;

  constructor(
    readonly holder: string,
    readonly bytes: number,
    private readonly end: (reservation: Reservation) => void,
  ) {
    this.granted = new Promise((resolve) => (this.settle = resolve));
  }

  grant(): void {
    clearTimeout(this.expiry);
    this.isGranted = true;
    this.settle(true);
  }

  expireAfter(ms: number): void {
    this.expiry = setTimeout(() => this.release(), ms).unref();
  }

  release(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.expiry);
    this.end(this);
    this.isGranted = false;
    this.settle(false);
  }
}
