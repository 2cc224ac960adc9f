import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const OverviewScreen = () => <PageHead title="Overview" />;
