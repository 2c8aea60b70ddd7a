# Two stages: the first has everything needed to build, the second only what runs.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
COPY scripts/choose-node.js scripts/
RUN npm ci
COPY . .
# Only what runs. Starting it once shows that nothing is missing, and stores what Node compiled.
RUN npm run build && node scripts/release.js /release

FROM node:24-bookworm-slim
# What the agent's tools and commands use. The image has no init process: run the container with --init.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git ripgrep \
  && rm -rf /var/lib/apt/lists/*
# Commits need an author. A repository's own settings take precedence.
RUN git config --system user.name Agent && git config --system user.email agent@localhost
WORKDIR /app
COPY --from=build /release ./
RUN install -d -o node -g node -m 0700 /data && install -d -o node -g node /workspace

# Inside a container the service has to listen on every address, so it REFUSES TO START without a gate: set
# SVC_WEBUI_PASSWORD_FILE (or SVC_WEBUI_PASSWORD), or SVC_WEBUI_PROXY_HEADER behind an authenticating proxy.
ENV NODE_ENV=production \
  SVC_HOME=/data \
  SVC_WEBUI_DEFAULT_WORKSPACE=/workspace \
  SVC_WEBUI_HOST=0.0.0.0 \
  SVC_WEBUI_PORT=8787

USER node
VOLUME ["/data", "/workspace"]
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_WEBUI_PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "dist/server.js"]
