import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const OutputScreen = () => <PageHead title="Output" />;
