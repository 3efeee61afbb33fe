# All images of loopbench, stage by stage: docs/containers.md.
#
#   docker build --target server --build-arg SERVER=libuv -t loopbench-server-libuv .
#   docker build --target runner -t loopbench-runner .
#   docker build --target postgres -t loopbench-postgres .
#
# Only what a stage needs is copied before it, so that a changed server leaves the runner's layers and those
# of the other servers alone and the other way round, and what changes most comes last. Each step costs a second or two.
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BASE_IMAGE} AS base

# ---- what compiles
FROM base AS toolchain
RUN find /lib/ /usr/lib/ -name '*.so*' >/base-files \
    && apt-get update -q && apt-get install -y -q --no-install-recommends \
        gcc libc6-dev make pkg-config libevent-dev libuv1-dev libh2o-evloop-dev node-llhttp \
        libsqlite3-dev libpq-dev libjansson-dev libinih-dev libgsl-dev zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src

# The databases' libraries, which every server opens by name when it first uses them, with all they need.
FROM toolchain AS libraries
COPY docker/collect docker/collect
RUN docker/collect /libraries libsqlite3.so.0 libpq.so.5

# The application all servers share, compiled once.
FROM libraries AS common
COPY Makefile VERSION ./
COPY scripts/make scripts/make
COPY runner/runner.mk runner/runner.mk
COPY servers/servers.mk servers/servers.mk
COPY servers/bench/bench.mk servers/bench/bench.mk
COPY servers/common servers/common
RUN make -j"$(nproc)" COMMIT=none DEBUG= server-common

# One server: a change in it compiles nothing else.
FROM common AS server-build
ARG SERVER=libuv
COPY servers/${SERVER} servers/${SERVER}
RUN make -j"$(nproc)" COMMIT=none DEBUG= build/bin/server-${SERVER} \
    && docker/collect /out build/bin/server-${SERVER}

# ---- one image for each server: its binary and the libraries the base lacks
FROM base AS server
ARG SERVER=libuv
COPY docker/enter docker/healthy /usr/local/bin/
ENV LOOPBENCH_SERVER=server-${SERVER}
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=1s --timeout=24h --retries=60 CMD ["healthy", "8080"]
ENTRYPOINT ["enter", "server"]
CMD ["--listen", "0.0.0.0:8080"]
COPY --from=libraries /libraries/ /
ARG COMMIT=unknown
LABEL org.opencontainers.image.revision=${COMMIT}
COPY --from=server-build /out/ /

# ---- the runner
FROM toolchain AS loopbench
COPY Makefile VERSION ./
COPY scripts/make scripts/make
COPY servers/servers.mk servers/servers.mk
COPY servers/bench/bench.mk servers/bench/bench.mk
COPY docker/enter docker/enter
COPY runner runner
RUN make -j"$(nproc)" COMMIT=none DEBUG= runner
# Only what says which commit it is depends on it: another one compiles that file and links.
ARG COMMIT=unknown
RUN rm build/obj/runner/base/buildinfo.o \
    && make COMMIT="$COMMIT" DEBUG= runner \
    && mv build/bin/loopbench /loopbench && rm -rf build

FROM base AS runner
RUN apt-get update -q && apt-get install -y -q --no-install-recommends \
        libuv1 libjansson4 libinih1 libgsl27 libpq5 zlib1g wrk gnuplot-nox fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/* /var/cache/fontconfig/*
RUN fc-cache -f
COPY plots /usr/local/share/loopbench/plots
COPY docker/enter docker/bench docker/keeper docker/report docker/healthy /usr/local/bin/
COPY replays /usr/local/share/loopbench/replays
COPY docker/compose.ini /usr/local/share/loopbench/
USER 65532:65532
ENV HOME=/tmp LANG=C.UTF-8
ENTRYPOINT ["enter", "bench"]
ARG COMMIT=unknown
COPY --from=loopbench /loopbench /usr/local/bin/loopbench
LABEL org.opencontainers.image.revision=${COMMIT}

# ---- the database of the posts workload
FROM base AS postgres
RUN apt-get update -q && apt-get install -y -q --no-install-recommends postgresql \
    && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/*
COPY docker/enter docker/postgres docker/healthy /usr/local/bin/
USER postgres
EXPOSE 5432
ENTRYPOINT ["enter", "postgres"]
