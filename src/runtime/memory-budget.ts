/** Bounds of a {@link MemoryBudget}. */
export interface MemoryBounds {
  /** Bytes in all. */
  readonly bytes: number;
  /** Bytes of one holder. A larger reservation is granted to a holder that has no other. */
  readonly bytesPerHolder: number;
  /** Reservations that wait. */
  readonly waiting: number;
  /** Time that a reservation waits, in ms. */
  readonly waitMs: number;
}

/** A part of a {@link MemoryBudget}. To be released in any case, also while it waits. */
export interface MemoryReservation {
  /** True once it was granted, until it is released. */
  readonly isGranted: boolean;
  /** Settles when it is granted (true), or refused: it waited too long, too many waited, or it was released (false). */
  readonly granted: Promise<boolean>;
  release(): void;
}

/**
 * Bounds the memory of concurrent work. Reservations are granted in the order in which they were made, but one whose holder
 * has its share does not hold back the reservations of others. Holders are known to the caller, such as owners.
 */
export class MemoryBudget {
  private used = 0;
  private readonly usedByHolder = new Map<string, number>();
  private readonly queue = new Set<Reservation>();

  constructor(private readonly bounds: MemoryBounds) {}

  /** Bytes reserved at present. */
  get usedBytes(): number {
    return this.used;
  }

  /** Reservations that wait at present. */
  get waiting(): number {
    return this.queue.size;
  }

  /** Reserves bytes, at once or when they are free. */
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
   * Reserves bytes that are in memory already: at once, beyond the bounds too, up to twice as many.
   * @returns null if it is refused
   */
  reserveHeld(holder: string, bytes: number): MemoryReservation | null {
    const { bytes: all, bytesPerHolder } = this.bounds;
    const isRefused = this.used + bytes > 2 * all || this.usedBy(holder) + bytes > 2 * bytesPerHolder;
    if (isRefused) return null;
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

  /** True if an earlier reservation waits before one of this holder: its own, or one that only waits for others' memory. */
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
