import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { endpoint } from '../../domain/endpoint/endpoint.decider.js';
import type { EndpointSettings, Mode } from '../../domain/endpoint/endpoint.events.js';
import type { Plan } from '../../domain/owner/owner.events.js';
import type { Execution } from '../../event-store/codec.js';
import { Streams } from '../../event-store/aggregate-store.js';
import { derivedUuid } from '../../kernel/ids.js';
import { FindMissing } from '../../projections/discovery/discovery.queries.js';
import { SecretVault } from '../../secrets/vault.js';
import { done, type Outcome } from '../command-result.js';
import { planLacksInput } from './plan-input.js';
import { unknownIds } from '../unknown-ids.js';

/** A new endpoint of an owner. A live one needs a plan with webhook input (D-12). */
export class CreateEndpoint extends Command<Outcome> {
  constructor(
    readonly execution: Execution,
    readonly endpoint: {
      readonly endpointId: string;
      readonly ownerId: string;
      readonly slug: string;
      readonly mode: Mode;
      /** SHA-256 (hex) of the token that only its holder knows. */
      readonly tokenHash: string;
      readonly signingSecret: string;
      readonly settings: EndpointSettings;
    },
    /** Plans with webhook input, as the limits profile has them. */
    readonly inputPlans: readonly Plan[],
  ) {
    super();
  }
}

@CommandHandler(CreateEndpoint)
export class CreateEndpointHandler implements ICommandHandler<CreateEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly vault: SecretVault,
    private readonly queries: QueryBus,
  ) {}

  async execute({ execution, endpoint: { signingSecret, ...rest }, inputPlans }: CreateEndpoint): Promise<Outcome> {
    const { ownerId, settings, mode } = rest;
    const missing = await this.queries.execute(new FindMissing('project', ownerId, settings.projectIds));
    if (missing.length > 0) return unknownIds('project_ids', missing);
    const refused = mode === 'live' ? await planLacksInput(this.streams, ownerId, inputPlans) : null;
    if (refused) return refused;
    const signingSecretId = await this.vault.put(
      { secret: signingSecret },
      derivedUuid(`${execution.commandId}/signing-secret`),
    );
    const command = { type: 'CreateEndpoint', ...rest, signingSecretId } as const;
    return done(await this.streams.run(endpoint, rest.endpointId, command, execution));
  }
}
