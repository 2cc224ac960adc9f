import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const TimeScreen = () => <PageHead title="Time" />;
