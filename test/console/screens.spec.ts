import { E2eHarness } from '../e2e/e2e-harness.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { HOSTILE, startWorld, type World } from './support/world.js';

const LOOKS: Readonly<Record<string, Look>> = { 'light, English': {} };

/** Addresses of all screens of an owner, with something on each. */
const screensOf = async ({ manage, channels, projects, endpoints }: World): Promise<readonly string[]> => {
  const { items: posts } = await manage.get('/posts?limit=50');
  const doubtful = posts
    .flatMap(({ publications }: { publications: { id: string; state: string }[] }) => publications)
    .find(({ state }: { state: string }) => state === 'in_doubt');
  const { items: outputs } = await manage.get('/webhook-outputs');
  return [
    ...['/', '/timeline', '/compose', '/channels', '/channels/new', '/projects', '/projects/new'],
    ...['/endpoints', '/endpoints/new', '/outputs', '/outputs/new', '/requests', '/time', '/more'],
    ...[`/channels/${channels.max}`, `/projects/${projects.everywhere}`, `/endpoints/${endpoints.cms.id}`],
    ...[`/outputs/${outputs[0].id}`, `/posts/${posts[0].id}`, `/publications/${doubtful.id}`],
  ];
};

const OPERATOR_SCREENS = ['/', '/owners', '/projections', '/time'];

describeInChromium('the screens', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let world: World;
  let owner: Visitor;
  let operator: Visitor;
  let screens: readonly string[];
  beforeAll(async () => {
    world = await startWorld(harness);
    owner = { key: world.owner.key, role: 'owner', owner: { id: world.owner.id, name: world.owner.name } };
    operator = { key: world.operatorKey, role: 'operator', owner: null };
    screens = await screensOf(world);
  });
  afterAll(() => harness.stop());

  const visit = async (visitor: Visitor | null, paths: readonly string[], look: Look): Promise<void> => {
    const opened = await ConsolePage.open(browser(), world.gateway.url, visitor, '/', look);
    const faults: unknown[] = [];
    for (const path of paths) {
      await opened.goto(path);
      await opened.settle();
      const violations = await findViolations(opened.page);
      const overflow = await opened.overflow();
      if (violations.length > 0) faults.push({ path, violations });
      if (overflow > 0) faults.push({ path, overflow });
      faults.push(...opened.faults.splice(0).map((fault) => ({ path, fault })));
    }
    await opened.close();
    expect(faults).toEqual([]);
  };

  for (const [name, look] of Object.entries(LOOKS)) {
    it(`of an owner are accessible and without faults (${name})`, () => visit(owner, screens, look));
    it(`of the operator are accessible and without faults (${name})`, () => visit(operator, OPERATOR_SCREENS, look));
    it(`of a visitor are accessible and without faults (${name})`, () => visit(null, ['/'], look));
  }

  it('show hostile texts as texts', async () => {
    const opened = await ConsolePage.open(browser(), world.gateway.url, owner, '/timeline');
    await opened.page.getByText(HOSTILE.slice(0, 28)).first().waitFor();
    expect(await opened.page.locator('img[src="x"]').count()).toBe(0);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
});
