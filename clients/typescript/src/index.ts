export { type Client, type ClientOptions, createClient, type PublishPayload } from './client.js';
export { createManagement, type Management, type ManagementOptions } from './management.js';
export { GatewayError } from './gateway-error.js';
export { verifyWebhook, type WebhookRequest } from './webhook.js';
export type { Routes, Schemas } from './schema.js';
