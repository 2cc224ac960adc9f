import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const EndpointsScreen = () => <PageHead title="Endpoints" />;
