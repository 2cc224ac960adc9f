import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const PublicationScreen = () => <PageHead title="Publication" />;
