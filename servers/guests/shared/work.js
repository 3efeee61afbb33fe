'use strict';
// What the Node.js guests answer: bodies and nothing of HTTP, so that servers differ in how they serve.

const fs = require('node:fs');
const path = require('node:path');

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const POSTS = 100;

const GREETING = 'Hello world!';
const PAGE = fs.readFileSync(path.join(__dirname, 'page.html'));
const FIBONACCI_MAX = 35;
const WAIT_MAX_MS = 60000;
const BYTES_MAX = 16 * 1024 * 1024;

// 10,000 letters, appended one at a time.
function concat() {
  let out = '';
  for (let i = 0; i < 10000; i++) {
    out += LETTERS[Math.floor(Math.random() * LETTERS.length)];
  }
  return out;
}

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// A query parameter: decimal digits from 0 to most, else undefined.
function number(value, most) {
  const good = typeof value === 'string' && /^[0-9]{1,9}$/.test(value) && Number(value) <= most;
  return good ? Number(value) : undefined;
}

let block = Buffer.alloc(0);

// n bytes of one block that grows to what was ever asked for: lines that begin with their offset.
function bytes(n) {
  if (block.length < n) {
    const lines = [];
    for (let at = 0; at < n; at += 64) {
      lines.push(`${at.toString(16).padStart(8, '0')} The quick brown fox jumps over the lazy dog, and back.\n`);
    }
    block = Buffer.from(lines.join(''));
  }
  return block.subarray(0, n);
}

// CRC-32 by a table: the zlib of Node.js before version 22 has none to offer.
const CRC = Int32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) {
    n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  }
  return n;
});

function crc32(chunk, crc) {
  crc = ~crc;
  for (let i = 0; i < chunk.length; i++) {
    crc = CRC[(crc ^ chunk[i]) & 255] ^ (crc >>> 8);
  }
  return ~crc;
}

function upload(length, crc) {
  return { length, crc32: (crc >>> 0).toString(16).padStart(8, '0') };
}

// The same posts in every process, in no order; some with what must be escaped. mulberry32, seeded.
function makePosts() {
  let state = 2012;
  const random = (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) % below);
  };
  const text = (length) => Array.from({ length }, () => LETTERS[random(LETTERS.length)]).join('');
  const two = (n) => String(n).padStart(2, '0');
  const endings = {
    7: ' <b>bold</b> & "quoted"',
    32: ' <script>alert("it\'s me");</script>',
    57: ' Příliš žluťoučký kůň',
    82: " 1 < 2 && 'a' > 'b'",
  };
  return Array.from({ length: POSTS }, (_, i) => ({
    id: i + 1,
    author: text(16),
    date: `2012-${two(random(12) + 1)}-${two(random(28) + 1)}T${two(random(24))}:${two(random(60))}:${two(random(60))}Z`,
    content: text(160) + (endings[i] ?? ''),
  }));
}

const posts = makePosts();
const REFERENCES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escape(text) {
  return text.replace(/[&<>"']/g, (c) => REFERENCES[c]);
}

function newestFirst(a, b) {
  return a.date === b.date ? b.id - a.id : a.date < b.date ? 1 : -1;
}

// A page of 100 posts, sorted and escaped for each request.
function render() {
  const articles = [...posts].sort(newestFirst).map((post) => {
    const date = escape(post.date);
    return `<article id="post-${post.id}">\n<h2>${escape(post.author)}</h2>\n` +
      `<time datetime="${date}">${date}</time>\n<p>${escape(post.content)}</p>\n</article>\n`;
  });
  return '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Posts &amp; replies</title></head>\n' +
    `<body>\n<h1>Posts &amp; replies</h1>\n<p>${posts.length} posts, newest first</p>\n${articles.join('')}</body>\n</html>\n`;
}

const document = () => ({ test: 1, data: 'hello world' });

module.exports = {
  GREETING, PAGE, FIBONACCI_MAX, WAIT_MAX_MS, BYTES_MAX,
  document, concat, fibonacci, number, bytes, crc32, upload, render,
};
