import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import { ProbeBudget, type ProbePayer, type RefusedPayment } from '../../limits/probe-budget.js';
import type { PayRequests } from '../../media/probe.js';
import { TrafficMeter } from '../../outbound-http/traffic-meter.js';
import type { EndpointSnapshot } from '../../projections/discovery/endpoint-snapshots.queries.js';
import { probeBudgetRejection } from './gate/rejections.js';

/** Pays for requests to media hosts and translation services before a post is accepted (D-51). */
@Injectable()
export class ProbePayments {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly budget: ProbeBudget,
  ) {}

  /**
   * Returns a function that pays for the probes of one client request. It throws GateRejection 429 if the budget is too
   * small.
   */
  open(endpoint: EndpointSnapshot): PayRequests {
    return this.openFor(endpoint, (refused) => probeBudgetRejection(endpoint, refused, this.settings.limitsProfile));
  }

  /**
   * Returns a function that pays for the probes of one request, on behalf of a payer.
   * @param reject creates the error if the budget does not cover a payment; its retry delay takes all payments so far
   * into account
   */
  openFor(payer: ProbePayer, reject: (refused: RefusedPayment) => Error): PayRequests {
    const again = { probes: 0, bytes: 0 };
    return async (most) => {
      again.probes += most.probes;
      again.bytes += most.bytes;
      const verdict = await this.budget.pay(payer, most, { ...again });
      if (verdict.outcome === 'refused') throw reject(verdict);
      const meter = new TrafficMeter();
      return { meter, settle: () => verdict.settle({ probes: meter.requests, bytes: meter.bytes }) };
    };
  }
}
