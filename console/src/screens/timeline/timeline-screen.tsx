import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const TimelineScreen = () => <PageHead title="Timeline" />;
