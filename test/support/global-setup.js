export { startServers as default } from './postgres-servers.js';
