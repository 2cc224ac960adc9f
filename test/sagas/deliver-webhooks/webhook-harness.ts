import { type Answer, type TestChannel, type TestEndpoint, TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import type { WebhookReceiver } from '../../support/webhook-receiver.js';

/** A gateway whose minute lasts 60 ms: the schedule of retries begins with 5 ms and 300 ms. */
export const MINUTE_MS = 60;

/** Starts a gateway that may call customers' servers on this machine. */
export const startWebhookGateway = (env: Readonly<Record<string, string>> = {}): Promise<TestGateway> =>
  TestGateway.start({ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MINUTE_MS: String(MINUTE_MS), ...env });

/** An owner with a channel, a project and an endpoint. */
export class WebhookSetup {
  private constructor(
    readonly gateway: TestGateway,
    readonly owner: string,
    readonly channel: TestChannel,
    readonly project: string,
    readonly endpoint: TestEndpoint,
  ) {}

  static async create(gateway: TestGateway, plan = 'business'): Promise<WebhookSetup> {
    const owner = await gateway.createOwner(plan);
    const channel = await gateway.createChannel(owner, 'News');
    const project = await gateway.createProject(owner, [channel], 'Project');
    return new WebhookSetup(gateway, owner, channel, project, await gateway.createEndpoint(owner, [project]));
  }

  /** Creates a webhook output. @param more fields of its body */
  createOutput(receiver: Pick<WebhookReceiver, 'url'>, more: object = {}): Promise<Answer['body']> {
    return this.gateway.manage('POST', '/webhook-outputs', { project_id: this.project, url: receiver.url, ...more });
  }

  /** Sends a post, and returns its id. */
  async sendPost(text: string, more: object = {}): Promise<string> {
    const { status, body } = await this.endpoint.post('', { text, ...more });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.id;
  }

  /** Sends a test ping, and returns the id of its delivery. */
  async ping(outputId: string): Promise<string> {
    return (await this.gateway.manage('POST', `/webhook-outputs/${outputId}/test`)).id;
  }

  /** Waits until a delivery fulfils a condition. */
  waitForDelivery(id: string, isReached: (delivery: Answer['body']) => boolean): Promise<Answer['body']> {
    return until(`the delivery ${id}`, async () => {
      const delivery = await this.gateway.manage('GET', `/deliveries/${id}`);
      return isReached(delivery) ? delivery : null;
    });
  }
}
