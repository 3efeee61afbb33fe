'use strict';
// Node.js's own http module, nothing else.

const path = require('node:path');
const process = require('node:process');

const shared = path.join(__dirname, '..', 'shared');
const work = require(path.join(shared, 'work.js'));
const { run } = require(path.join(shared, 'workers.js'));

const TEXT = 'text/plain';
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';
const BYTES = 'application/octet-stream';

function send(response, type, body, status = 200) {
  response.statusCode = status;
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

function sendParameter(request, response, name, most, answer) {
  const values = new URL(request.url, 'http://localhost').searchParams.getAll(name);
  const n = values.length === 1 ? work.number(values[0], most) : undefined;
  if (n === undefined) {
    send(response, TEXT, `give ${name} once, a whole number from 0 to ${most}\n`, 400);
  } else {
    answer(n);
  }
}

function upload(request, response) {
  let length = 0;
  let crc = 0;
  request.on('data', (chunk) => {
    length += chunk.length;
    crc = work.crc32(chunk, crc);
  });
  request.on('end', () => send(response, JSON_TYPE, JSON.stringify(work.upload(length, crc))));
}

function wait(request, response) {
  sendParameter(request, response, 'ms', work.WAIT_MAX_MS, (ms) => {
    const timer = setTimeout(send, ms, response, TEXT, 'OK');
    response.on('close', () => clearTimeout(timer));
  });
}

const hello = (request, response) => send(response, TEXT, work.GREETING);

const routes = {
  'GET /': hello,
  'GET /hello': hello,
  'GET /json': (request, response) => send(response, JSON_TYPE, JSON.stringify(work.document())),
  'GET /html': (request, response) => send(response, HTML, work.PAGE),
  'GET /concat': (request, response) => send(response, TEXT, work.concat()),
  'GET /render': (request, response) => send(response, HTML, work.render()),
  'GET /fibonacci': (request, response) =>
    sendParameter(request, response, 'n', work.FIBONACCI_MAX, (n) => send(response, TEXT, String(work.fibonacci(n)))),
  'GET /wait': wait,
  'GET /bytes': (request, response) =>
    sendParameter(request, response, 'n', work.BYTES_MAX, (n) => send(response, BYTES, work.bytes(n))),
  'POST /upload': upload,
};

function route(request, response) {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const query = request.url.indexOf('?');
  const pathname = query < 0 ? request.url : request.url.slice(0, query);
  const handler = routes[`${method} ${pathname}`];
  if (handler) {
    handler(request, response);
  } else {
    send(response, TEXT, 'Not found\n', 404);
  }
}

if (process.argv.includes('--version')) {
  console.log(`Node.js ${process.version}`);
} else {
  run(route);
}
