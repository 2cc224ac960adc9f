import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const NewEndpointScreen = () => <PageHead title="NewEndpoint" />;
