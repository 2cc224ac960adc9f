import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const PostScreen = () => <PageHead title="Post" />;
