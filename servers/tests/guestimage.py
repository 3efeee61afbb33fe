"""The image of a guest, held as the runner holds it (runner/target/container.c)."""

import os
import subprocess
import time

from tap import Failure, eq, ok
from wire import Client, get, wait_until

PORT = 8080
HELD = (
    "--user", "65532:65532", "--network", "bridge", "--read-only", "--cap-drop", "ALL", "--security-opt",
    "no-new-privileges", "--tmpfs", "/tmp", "--pids-limit", "512", "--memory", "1g", "--ulimit", "nofile=16384",
)


def docker(*words, check=True):
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=60, check=False)
    if check and done.returncode != 0:
        raise Failure(f"docker {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip() if done.returncode == 0 else None


def why_not(image):
    """Why it cannot be tried here; None: it can."""
    try:
        there = docker("image", "inspect", "--format", "{{.Id}}", image, check=False)
    except FileNotFoundError:
        return "docker is not here"
    return None if there else f"no engine answers, or the image {image} is not there (make guest-images)"


def answers(address):
    try:
        with Client(address, deadline=5) as client:
            return client.ask(get("/hello")).body == b"Hello world!"
    except OSError:
        return False


def check_image(guest):
    """It answers with two workers, ends at SIGTERM in time and by itself."""
    name = f"loopbench-test-{guest.name}-{os.getpid()}"
    command = guest.words("command", host="0.0.0.0", port=PORT, workers=2, backlog=99)
    env = [word for pair in guest.words("env") for word in ("--env", pair)]
    docker("run", "-d", "--pull", "never", "--name", name, *HELD, *env, guest.say["image"], *command)
    try:
        address = docker("inspect", "--format", "{{.NetworkSettings.Networks.bridge.IPAddress}}", name)
        if not address or not wait_until(lambda: answers((address, PORT)), 20, step=0.05):
            raise Failure(f"no answer at {address}: {docker('logs', name)}")
        start = time.monotonic()
        docker("stop", "--time", "8", name)
        ok(time.monotonic() - start < 8, "it had to be killed")
        code = docker("inspect", "--format", "{{.State.ExitCode}}", name)
        ok(code in ("0", "143"), f"exit status {code}")
    finally:
        docker("rm", "-f", name, check=False)
    eq(docker("ps", "-aq", "--filter", f"name={name}"), "", "containers left")
