import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const OwnersScreen = () => <PageHead title="Owners" />;
