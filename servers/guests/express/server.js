'use strict';
// Express, as its guide to performance in production has it.

const path = require('node:path');
const process = require('node:process');
const express = require('express');

const shared = path.join(__dirname, '..', 'shared');
const work = require(path.join(shared, 'work.js'));
const { run } = require(path.join(shared, 'workers.js'));

const TEXT = 'text/plain';
const HTML = 'text/html; charset=utf-8';
const BYTES = 'application/octet-stream';

function parameter(request, name, most) {
  const n = work.number(request.query[name], most);
  if (n === undefined) {
    throw Object.assign(new Error(`give ${name} once, a whole number from 0 to ${most}`), { status: 400 });
  }
  return n;
}

const app = express();
app.disable('x-powered-by');

app.get(['/', '/hello'], (request, response) => response.type(TEXT).send(work.GREETING));
app.get('/json', (request, response) => response.json(work.document()));
app.get('/html', (request, response) => response.type(HTML).send(work.PAGE));
app.get('/concat', (request, response) => response.type(TEXT).send(work.concat()));
app.get('/render', (request, response) => response.type(HTML).send(work.render()));
app.get('/fibonacci', (request, response) =>
  response.type(TEXT).send(String(work.fibonacci(parameter(request, 'n', work.FIBONACCI_MAX)))));
app.get('/wait', (request, response) => {
  const timer = setTimeout(() => response.type(TEXT).send('OK'), parameter(request, 'ms', work.WAIT_MAX_MS));
  response.on('close', () => clearTimeout(timer));
});
app.get('/bytes', (request, response) =>
  response.type(BYTES).send(work.bytes(parameter(request, 'n', work.BYTES_MAX))));
app.post('/upload', express.raw({ type: () => true, limit: '1gb' }), (request, response) => {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  response.json(work.upload(body.length, work.crc32(body, 0)));
});
// eslint-disable-next-line no-unused-vars
app.use((error, request, response, next) => response.status(error.status ?? 500).type(TEXT).send(`${error.message}\n`));

if (process.argv.includes('--version')) {
  console.log(`Express ${require('express/package.json').version} on Node.js ${process.version}`);
} else {
  run(app);
}
