import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const ComposeScreen = () => <PageHead title="Compose" />;
