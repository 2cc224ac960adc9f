import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const OutputsScreen = () => <PageHead title="Outputs" />;
