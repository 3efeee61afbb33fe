package loopbench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

/** One line a request, gathered and written each second or when there are 64 KiB. */
final class AccessLog {
  private final OutputStream out;
  private boolean failed;

  AccessLog(String path) throws IOException {
    out =
        new BufferedOutputStream(
            Files.newOutputStream(Path.of(path), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            64 * 1024);
  }

  synchronized void add(String peer, String method, String uri, int status, int size) {
    String line = peer + " [" + Instant.now() + "] \"" + method + " " + uri + "\" " + status + " " + size + "\n";
    attempt(() -> out.write(line.getBytes(StandardCharsets.ISO_8859_1)));
  }

  synchronized void flush() {
    attempt(out::flush);
  }

  private interface Writing {
    void run() throws IOException;
  }

  private void attempt(Writing writing) {
    try {
      writing.run();
    } catch (IOException why) {
      if (!failed) {
        System.err.println("cannot write the access log: " + why.getMessage());
        failed = true;
      }
    }
  }
}
