# Builds the gateway, and runs it with an external PostgreSQL (DATABASE_URL); see docker-compose.yml.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:22-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# DATA_DIR, for media files during publishing.
RUN install -d -o node -g node .data
USER node
EXPOSE 3000
CMD ["node", "--enable-source-maps", "--max-semi-space-size=64", "dist/main.js"]
