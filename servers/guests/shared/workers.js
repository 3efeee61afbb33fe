'use strict';
// Command line, worker processes and the end of the Node.js guests.

const cluster = require('node:cluster');
const fs = require('node:fs');
const http = require('node:http');
const process = require('node:process');
const { parseArgs } = require('node:util');

const GRACE_MS = 50; // a request may be on its way on an idle connection

function options() {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string' },
      workers: { type: 'string', default: '1' },
      backlog: { type: 'string', default: '511' },
      'access-log': { type: 'string' },
    },
  });
  for (const name of ['port', 'workers', 'backlog']) {
    if (!/^[1-9][0-9]{0,9}$/.test(values[name] ?? '')) {
      throw new Error(`--${name} takes a whole number`);
    }
  }
  return values;
}

// One line a request, once its reply is sent; written by the stream, which gathers while it writes.
function logged(listener, path) {
  const log = fs.createWriteStream(path, { flags: 'a' });
  return (request, response) => {
    response.on('finish', () => {
      const { remoteAddress } = request.socket;
      log.write(`${remoteAddress} [${new Date().toISOString()}] "${request.method} ${request.originalUrl ?? request.url} ` +
        `HTTP/${request.httpVersion}" ${response.statusCode} ${response.getHeader('Content-Length') ?? '-'}\n`);
    });
    listener(request, response);
  };
}

function work(listener, given) {
  const log = given['access-log'];
  const server = http.createServer(log ? logged(listener, log) : listener);
  server.keepAliveTimeout = 60000;
  server.on('error', (error) => {
    console.error(`cannot listen on ${given.host}:${given.port}: ${error.message}`);
    process.exit(1);
  });
  server.listen({ host: given.host, port: Number(given.port), backlog: Number(given.backlog) });
  // Told once by whoever ends the whole group, and once more by the primary: the second must not kill.
  let stopping = false;
  const stop = () => {
    if (!stopping) {
      stopping = true;
      server.close(() => cluster.worker?.disconnect());
      setTimeout(() => server.closeAllConnections(), GRACE_MS);
    }
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

// Hands signals on. A worker that ends unasked ends all: half a server is not measured.
function supervise(count) {
  let asked = false;
  for (let i = 0; i < count; i++) {
    cluster.fork();
  }
  const stop = (signal) => {
    if (asked) {
      return;
    }
    asked = true;
    for (const worker of Object.values(cluster.workers)) {
      worker.process.kill(signal);
    }
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  cluster.on('exit', (worker, code) => {
    if (!asked || code > 0) {
      process.exitCode = 1;
      stop('SIGTERM');
    }
  });
}

// Serves with `listener` in as many processes as asked for; with one, without any other.
exports.run = (listener) => {
  let given;
  try {
    given = options();
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
  const workers = Number(given.workers);
  if (workers > 1 && cluster.isPrimary) {
    supervise(workers);
  } else {
    work(listener, given);
  }
};
