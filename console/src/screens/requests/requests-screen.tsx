import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const RequestsScreen = () => <PageHead title="Requests" />;
