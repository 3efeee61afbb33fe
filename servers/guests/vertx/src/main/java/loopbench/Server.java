package loopbench;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntConsumer;
import java.util.zip.CRC32;

/** One event loop: what the guest answers. */
final class Server extends AbstractVerticle {
  private static final String TEXT = "text/plain";
  private static final String HTML = "text/html; charset=utf-8";
  private static final String JSON = "application/json";
  private static final String BYTES = "application/octet-stream";
  private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  private static final int CONCAT_LEN = 10_000;
  private static final int FIBONACCI_MAX = 35;
  private static final int WAIT_MAX_MS = 60_000;
  private static final int BYTES_MAX = 16 * 1024 * 1024;
  private static final int BYTES_LINE = 64;

  private final HttpServerOptions options;
  private final AccessLog log;
  private final Buffer page;
  private Buffer block = Buffer.buffer();

  Server(HttpServerOptions options, AccessLog log) {
    this.options = options;
    this.log = log;
    try (var in = Server.class.getResourceAsStream("/page.html")) {
      page = Buffer.buffer(in.readAllBytes());
    } catch (java.io.IOException why) {
      throw new java.io.UncheckedIOException(why);
    }
  }

  @Override
  public void start(Promise<Void> started) {
    vertx
        .createHttpServer(options)
        .requestHandler(this::route)
        .listen()
        .<Void>mapEmpty()
        .onComplete(started);
  }

  private void route(HttpServerRequest request) {
    boolean get = request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD;
    boolean post = request.method() == HttpMethod.POST;
    switch (request.path() == null ? "" : request.path()) {
      case "/", "/hello" -> answer(request, get, () -> send(request, TEXT, Buffer.buffer("Hello world!")));
      case "/json" -> answer(request, get, () -> send(request, JSON, document().toBuffer()));
      case "/html" -> answer(request, get, () -> send(request, HTML, page));
      case "/concat" -> answer(request, get, () -> send(request, TEXT, concat()));
      case "/fibonacci" -> answer(request, get, () -> withNumber(request, "n", FIBONACCI_MAX,
          n -> send(request, TEXT, Buffer.buffer(Long.toString(fibonacci(n))))));
      case "/wait" -> answer(request, get, () -> withNumber(request, "ms", WAIT_MAX_MS, ms -> wait(request, ms)));
      case "/bytes" -> answer(request, get, () -> withNumber(request, "n", BYTES_MAX,
          n -> send(request, BYTES, bytes(n))));
      case "/upload" -> answer(request, post, () -> upload(request));
      default -> send(request, 404, TEXT, Buffer.buffer("Not found\n"));
    }
  }

  private void answer(HttpServerRequest request, boolean allowed, Runnable handler) {
    if (allowed) {
      handler.run();
    } else {
      send(request, 405, TEXT, Buffer.buffer("Method not allowed\n"));
    }
  }

  private void send(HttpServerRequest request, String type, Buffer body) {
    send(request, 200, type, body);
  }

  private void send(HttpServerRequest request, int status, String type, Buffer body) {
    request
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, type)
        .putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length()))
        .end(body);
    if (log != null) {
      String peer = request.remoteAddress() == null ? "-" : request.remoteAddress().hostAddress();
      log.add(peer, request.method().name(), request.uri(), status, body.length());
    }
  }

  /** The parameter, decimal digits from 0 to most; else answers 400. */
  private void withNumber(HttpServerRequest request, String name, int most, IntConsumer answer) {
    List<String> values = request.params().getAll(name);
    if (values.size() == 1 && values.get(0).matches("[0-9]{1,9}") && Integer.parseInt(values.get(0)) <= most) {
      answer.accept(Integer.parseInt(values.get(0)));
    } else {
      String why = "give " + name + " once, a whole number from 0 to " + most + "\n";
      send(request, 400, TEXT, Buffer.buffer(why));
    }
  }

  private static JsonObject document() {
    return new JsonObject().put("test", 1).put("data", "hello world");
  }

  /** 10,000 letters, appended one at a time. */
  private static Buffer concat() {
    StringBuilder text = new StringBuilder();
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int i = 0; i < CONCAT_LEN; i++) {
      text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return Buffer.buffer(text.toString());
  }

  private static long fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }

  private void wait(HttpServerRequest request, int ms) {
    if (ms == 0) { // Vert.x has no timer of 0
      send(request, TEXT, Buffer.buffer("OK"));
      return;
    }
    long timer = vertx.setTimer(ms, id -> send(request, TEXT, Buffer.buffer("OK")));
    request.response().closeHandler(gone -> vertx.cancelTimer(timer));
  }

  /** One block that grows to what was ever asked for: lines that begin with their offset. */
  private Buffer bytes(int n) {
    if (block.length() < n) {
      block = Buffer.buffer(n + BYTES_LINE);
      for (int at = 0; at < n; at += BYTES_LINE) {
        block.appendString(String.format("%08x The quick brown fox jumps over the lazy dog, and back.\n", at));
      }
    }
    return block.slice(0, n);
  }

  private void upload(HttpServerRequest request) {
    CRC32 crc = new CRC32();
    long[] length = {0};
    request.handler(
        chunk -> {
          crc.update(chunk.getBytes());
          length[0] += chunk.length();
        });
    request.endHandler(
        end -> {
          String sum = String.format("%08x", crc.getValue());
          send(request, JSON, new JsonObject().put("length", length[0]).put("crc32", sum).toBuffer());
        });
  }
}
