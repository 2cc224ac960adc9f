import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const NewChannelScreen = () => <PageHead title="NewChannel" />;
