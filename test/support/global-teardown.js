export { stopServers as default } from './postgres-servers.js';
