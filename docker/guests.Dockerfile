# The guests (servers/guests) in containers, a stage each: make guest-images.
#
#   docker build -f docker/guests.Dockerfile --target guest-nginx -t loopbench-guest-nginx .
#
# The command is the one of target.ini: what follows the image in docker run. They are Debian's packages on
# the base that loopbench's own images have; vertx, which needs Maven, has a Dockerfile of its own.
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BASE_IMAGE} AS base
# Nothing that is installed starts.
RUN printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d \
    && mkdir -p /guests
EXPOSE 8080

FROM base AS guest-nginx
RUN apt-get update -q && apt-get install -y -q --no-install-recommends nginx-light \
    && rm -rf /var/lib/apt/lists/*
COPY servers/guests/shared /guests/shared
COPY servers/guests/nginx /guests/nginx
WORKDIR /guests/nginx
USER 65532:65532
CMD ["sh", "start", "0.0.0.0", "8080", "1", "511"]

FROM base AS guest-h2o-server
RUN apt-get update -q && apt-get install -y -q --no-install-recommends h2o \
    && rm -rf /var/lib/apt/lists/*
COPY servers/guests/shared /guests/shared
COPY servers/guests/h2o-server /guests/h2o-server
WORKDIR /guests/h2o-server
USER 65532:65532
CMD ["sh", "start", "0.0.0.0", "8080", "1"]

FROM base AS guest-node
RUN apt-get update -q && apt-get install -y -q --no-install-recommends nodejs \
    && rm -rf /var/lib/apt/lists/*
COPY servers/guests/shared /guests/shared
COPY servers/guests/node /guests/node
WORKDIR /guests/node
USER 65532:65532
CMD ["node", "server.js", "--host", "0.0.0.0", "--port", "8080"]

FROM base AS guest-express
RUN apt-get update -q && apt-get install -y -q --no-install-recommends nodejs node-express \
    && rm -rf /var/lib/apt/lists/*
COPY servers/guests/shared /guests/shared
COPY servers/guests/express /guests/express
WORKDIR /guests/express
USER 65532:65532
CMD ["node", "server.js", "--host", "0.0.0.0", "--port", "8080"]

FROM base AS guest-gevent
RUN apt-get update -q && apt-get install -y -q --no-install-recommends python3-gevent \
    && rm -rf /var/lib/apt/lists/*
COPY servers/guests/shared /guests/shared
COPY servers/guests/gevent /guests/gevent
WORKDIR /guests/gevent
USER 65532:65532
CMD ["/usr/bin/python3", "-B", "server.py", "--host", "0.0.0.0", "--port", "8080"]

FROM base AS guest-aiohttp
RUN apt-get update -q && apt-get install -y -q --no-install-recommends python3-aiohttp \
    && rm -rf /var/lib/apt/lists/*
COPY servers/guests/shared /guests/shared
COPY servers/guests/aiohttp /guests/aiohttp
WORKDIR /guests/aiohttp
USER 65532:65532
CMD ["/usr/bin/python3", "-B", "server.py", "--host", "0.0.0.0", "--port", "8080"]

FROM base AS compiled
RUN find /lib/ /usr/lib/ -name '*.so*' >/base-files \
    && apt-get update -q && apt-get install -y -q --no-install-recommends \
        gcc libc6-dev make pkg-config libevent-dev libjansson-dev zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Makefile VERSION ./
COPY scripts/make scripts/make
COPY runner/runner.mk runner/runner.mk
COPY servers/servers.mk servers/servers.mk
COPY servers/bench/bench.mk servers/bench/bench.mk
COPY servers/guests/evhttp servers/guests/evhttp
RUN make COMMIT=none guests
COPY docker/collect docker/collect
RUN docker/collect /out build/bin/guest-evhttp

FROM base AS guest-evhttp
COPY --from=compiled /out/ /
USER 65532:65532
# The first word is where the machine has the program.
ENTRYPOINT ["sh", "-c", "shift; exec guest-evhttp \"$@\"", "sh"]
CMD ["guest-evhttp", "--host", "0.0.0.0", "--port", "8080"]
