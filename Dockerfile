# The everloop command, as a Worker. Build: docker compose build. What it needs to run: docs/cluster.md.
ARG NODE_IMAGE=node:20.20.2-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# `prepare` would build, and there is nothing to build yet.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY src src
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE} AS worker
# What agents use: git and ca-certificates for their work, bubblewrap for the sandbox of their commands.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/everloop
COPY package.json LICENSE ./
COPY --from=dependencies /build/node_modules node_modules
COPY --from=build /build/bin bin
COPY --from=build /build/dist dist
RUN ln -s /opt/everloop/bin/everloop /usr/local/bin/everloop
USER node
# Made by the user, so that a volume that is mounted here belongs to it as well.
RUN mkdir -p -m 700 /home/node/.everloop
WORKDIR /home/node
ENV NODE_ENV=production \
  EVERLOOP_HOME=/home/node/.everloop \
  EVERLOOP_HEALTH=127.0.0.1:9465
EXPOSE 9464 9465
# It is told at the port of EVERLOOP_HEALTH, which may be another.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.EVERLOOP_HEALTH.split(':').pop()}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["everloop"]
CMD ["worker"]
