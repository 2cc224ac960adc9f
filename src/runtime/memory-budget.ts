/** Bounds of a {@link MemoryBudget}. */
export interface MemoryBounds {
  /** Total number of bytes. */
  readonly bytes: number;
  /** Limit per holder in bytes; a holder's only reservation may exceed it. */
  readonly bytesPerHolder: number;
  /** Maximum number of waiting reservations. */
  readonly waiting: number;
  /** How long a reservation may wait, in ms. */
  readonly waitMs: number;
}

/** A part of a {@link MemoryBudget}. Always release it, even while it waits. */
export interface MemoryReservation {
  /** True from when it is granted until it is released. */
  readonly isGranted: boolean;
  /** Settles when it is granted (true), or refused: it waited too long, too many waited, or it was released (false). */
  readonly granted: Promise<boolean>;
  release(): void;
}

/**
 * Limits the memory of concurrent work. Reservations are granted in order of arrival, but a holder that has used up its
 * share does not delay others. The caller decides what the holders are, such as owners.
 */
export class MemoryBudget {
  private used = 0;
  private readonly usedByHolder = new Map<string, number>();
  private readonly queue = new Set<Reservation>();

  constructor(private readonly bounds: MemoryBounds) {}

  /** Number of bytes reserved now. */
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
   * Reserves bytes that are already in memory: at once, up to twice the limits.
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

  /**
   * True if an earlier reservation takes precedence over this holder's: one of its own, or one that only waits for
   * others' memory.
   */
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
