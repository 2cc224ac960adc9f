export { type Client, type ClientOptions, createClient, type PostsQuery, type PublishPayload } from './client.js';
export {
  type Arguments,
  createManagement,
  type Management,
  type ManagementOptions,
  type Method,
  type PathOf,
  type RouteOf,
} from './management.js';
export { GatewayError } from './gateway-error.js';
export { JsonText } from './json-text.js';
export { type KeyRights, mayCall, type ManagementRoute } from './rights.js';
export { type Answer, type Outgoing, send, type SendOptions } from './send.js';
export type { UploadOptions, UploadSource } from './upload.js';
export { verifyWebhook, type WebhookRequest } from './webhook.js';
export type { Routes, Schemas } from './schema.js';
