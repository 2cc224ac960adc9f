import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const ProjectionsScreen = () => <PageHead title="Projections" />;
