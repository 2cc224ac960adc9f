import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const EndpointScreen = () => <PageHead title="Endpoint" />;
