# Targets: `slim` (the default) runs the service, `full` adds what agents need to build software; docs/docker.md describes both.
#
# `scripts/image.sh pin` and Renovate (docker:pinDigests) pin the base by digest. It must be Debian 13 or newer, because setpriv supports
# Landlock since util-linux 2.41.
ARG NODE_IMAGE=docker.io/library/node:24-trixie-slim

# Runs on the target platform (no --platform=$BUILDPLATFORM): packages with native code are installed here, and the release is started
# once, which shows that nothing is missing and fills Node's compile cache.
FROM ${NODE_IMAGE} AS build
# Only for this stage: the certificate authority of a network that intercepts TLS, in a file that scripts/image.sh mounts.
ARG NODE_EXTRA_CA_CERTS
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
COPY scripts/choose-node.js scripts/
RUN npm ci
COPY . .
RUN npm run build && node scripts/release.js /release
# The service and the agent's commands share one ripgrep on PATH, because commands in a sandbox do not see /app.
RUN install -D -m 0755 "$(node -p 'require("@vscode/ripgrep").rgPath')" /programs/rg \
  && rm -rf /release/node_modules/@vscode
COPY packaging/docker/entrypoint.sh /programs/entrypoint
COPY packaging/docker/healthcheck.sh /programs/healthcheck
COPY packaging/docker/ssh.sh /programs/ssh
RUN chmod 0755 /programs/*

FROM ${NODE_IMAGE} AS slim
ARG VERSION=dev
ARG REVISION=unknown
# The address of the repository that it was built from; scripts/image.sh passes it if it is known.
ARG SOURCE=""
LABEL org.opencontainers.image.title="agent-web-service" \
  org.opencontainers.image.description="A self-hosted web service that puts an AI agent behind a clean HTTP and Server-Sent-Events interface" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.source="${SOURCE}" \
  org.opencontainers.image.documentation="${SOURCE:+${SOURCE}/blob/${REVISION}/docs/docker.md}" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"

# Programs for the agent's tools and commands. libnss-wrapper gives ssh a name for users that the image does not have
# (packaging/docker/ssh.sh). npm and yarn of the base stay, because agents use them.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git libnss-wrapper openssh-client tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old
# Commits need an author. A repository's own settings take precedence, and so do GIT_AUTHOR_NAME and the like.
RUN git config --system user.name Agent && git config --system user.email agent@localhost
COPY --from=build /programs/ /usr/local/bin/
WORKDIR /app
COPY --from=build /release ./
# The service can run as any user. It writes only to these folders, which may be volumes or tmpfs.
RUN install -d -o 1000 -g 0 -m 0770 /data && install -d -o 1000 -g 0 -m 2775 /workspace && chmod 1777 /home/node

# Inside a container the service must listen on every address, so it REFUSES TO START without sign-in: set SVC_WEBUI_PASSWORD_FILE (or
# SVC_WEBUI_PASSWORD), or SVC_WEBUI_PROXY_HEADER behind an authenticating proxy.
# MALLOC_ARENA_MAX: Node's threads share two arenas, instead of each keeping freed memory in an arena of its own.
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=2 \
  HOME=/home/node \
  SVC_HOME=/data \
  SVC_WEBUI_DEFAULT_WORKSPACE=/workspace \
  SVC_WEBUI_HOST=0.0.0.0 \
  SVC_WEBUI_PORT=8787 \
  SVC_WEBUI_RESTART=exit

USER 1000:1000
VOLUME ["/data", "/workspace"]
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 CMD ["healthcheck"]
# The entrypoint ends by starting tini, the container's init.
ENTRYPOINT ["entrypoint"]
# --disable-sigusr1: commands run as the same user and could open the service's debugger with a signal.
CMD ["node", "--max-semi-space-size=4", "--disable-sigusr1", "dist/server.js"]

FROM slim AS full
USER root
RUN apt-get update \
  && apt-get install -y --no-install-recommends build-essential curl espeak-ng ffmpeg file gawk jq less patch pkg-config procps \
    python3 python3-dev python3-pip python3-venv unzip xz-utils zip \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old
USER 1000:1000

FROM slim
