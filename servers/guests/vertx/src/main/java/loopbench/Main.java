package loopbench;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.impl.launcher.commands.VersionCommand;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Command line, verticle instances and the end of the guest vertx. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    if (args.length == 1 && args[0].equals("--version")) {
      System.out.printf("Vert.x %s on Java %s%n", VersionCommand.getVersion(), Runtime.version());
      return;
    }
    Map<String, String> given = options(args);
    int workers = number(given, "workers", 1);
    HttpServerOptions http =
        new HttpServerOptions()
            .setHost(given.getOrDefault("host", "127.0.0.1"))
            .setPort(number(given, "port", 0))
            .setAcceptBacklog(number(given, "backlog", -1))
            .setIdleTimeout(60)
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    AccessLog log = given.containsKey("access-log") ? new AccessLog(given.get("access-log")) : null;
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(workers));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(vertx, log)));
    if (log != null) {
      vertx.setPeriodic(1000, id -> log.flush());
    }
    vertx
        .deployVerticle(
            () -> new Server(http, log), new DeploymentOptions().setInstances(workers))
        .onFailure(
            why -> {
              System.err.printf("cannot listen on %s:%d: %s%n", http.getHost(), http.getPort(), why.getMessage());
              Runtime.getRuntime().halt(1);
            });
  }

  /** On SIGTERM; a JVM that a signal ends would say 143. */
  private static void end(Vertx vertx, AccessLog log) {
    try {
      vertx.close().toCompletionStage().toCompletableFuture().get(4, TimeUnit.SECONDS);
    } catch (Exception why) {
      System.err.println("not all was closed in time: " + why);
    }
    if (log != null) {
      log.flush();
    }
    Runtime.getRuntime().halt(0);
  }

  private static Map<String, String> options(String[] args) {
    Map<String, String> given = new HashMap<>();
    for (int i = 0; i + 1 < args.length; i += 2) {
      if (!args[i].matches("--(host|port|workers|backlog|access-log)")) {
        fail("unknown option " + args[i]);
      }
      given.put(args[i].substring(2), args[i + 1]);
    }
    if (args.length % 2 != 0 || !given.containsKey("port")) {
      fail("usage: --port N [--host ADDRESS] [--workers N] [--backlog N] [--access-log FILE]");
    }
    return given;
  }

  private static int number(Map<String, String> given, String name, int otherwise) {
    String value = given.get(name);
    if (value != null && !value.matches("[1-9][0-9]{0,8}")) {
      fail("--" + name + " takes a whole number");
    }
    return value == null ? otherwise : Integer.parseInt(value);
  }

  private static void fail(String why) {
    System.err.println(why);
    System.exit(2);
  }
}
