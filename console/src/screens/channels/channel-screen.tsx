import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const ChannelScreen = () => <PageHead title="Channel" />;
