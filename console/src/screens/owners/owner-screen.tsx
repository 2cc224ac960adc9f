import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const OwnerScreen = () => <PageHead title="Owner" />;
