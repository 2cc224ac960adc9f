import { loadScreenAt } from './app/screens.js';

// This script arrives before those of the first view, which are large. Over a slow line, the scripts of the screen would
// otherwise be asked for seconds later.
loadScreenAt(location.pathname);
