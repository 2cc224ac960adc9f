import { PageHead } from '../../components/card.js';

/** To be replaced. */
export const ProjectsScreen = () => <PageHead title="Projects" />;
