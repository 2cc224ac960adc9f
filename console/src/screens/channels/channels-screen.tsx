import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const ChannelsScreen = () => <PageHead title="Channels" />;
