"""What the container tests share: is there an engine, and what does it hold of ours."""
import json
import os
import shutil
import subprocess

from command import ROOT
from tap import Skip, ok

LABEL = "loopbench.run"
BASE = os.environ.get("BASE_IMAGE", "debian:bookworm-slim")


def docker(*args, check=True, timeout=120):
    done = subprocess.run(["docker", *args], capture_output=True, text=True, timeout=timeout, check=False)
    ok(not check or done.returncode == 0, "docker %s: %s" % (" ".join(args), done.stderr))
    return done.stdout.strip()


def why_no_engine():
    """Why container tests cannot run here; "" when they can."""
    if not shutil.which("docker"):
        return "docker is not installed"
    done = subprocess.run(["docker", "info", "--format", "{{.ServerVersion}}"], capture_output=True,
                          text=True, timeout=60, check=False)
    return "" if done.returncode == 0 and done.stdout.strip() else "no Docker engine answers: %s" % done.stderr.strip()


def missing(names):
    """Those of the images that the engine does not hold."""
    return [n for n in names if not docker("image", "inspect", "--format", "{{.Id}}", n, check=False)]


def need_images(names):
    """Skips the case where an image is not there. Making them takes longer than a test may."""
    absent = missing([BASE, *names])
    if absent:
        raise Skip("no image %s (make base-image images)" % ", ".join(absent))


def make_images(names):
    """Builds what is not there: `make base-image images` as a person would."""
    if missing([BASE]):
        subprocess.run(["make", "-s", "base-image"], cwd=ROOT, check=True, timeout=600)
    if missing(names):
        subprocess.run(["make", "-s", "images"], cwd=ROOT, check=True, timeout=1200,
                       stdout=subprocess.DEVNULL)


def labelled(label):
    """Ids of all containers, running or not, with that label."""
    return docker("ps", "--all", "--quiet", "--no-trunc", "--filter", "label=%s" % label).split()


def inspect(container):
    return json.loads(docker("inspect", container))[0]


def hold(container):
    """Fails unless a container is held as docs/containers.md says."""
    seen = inspect(container)
    host, name = seen["HostConfig"], seen["Name"]
    ok(host["ReadonlyRootfs"], "%s: the root file system may be written" % name)
    ok(host["CapDrop"] in (["ALL"], ["all"]), "%s: drops %s" % (name, host["CapDrop"]))
    ok(any(o.startswith("no-new-privileges") for o in host["SecurityOpt"] or []), "%s: %s" % (name, host["SecurityOpt"]))
    ok(not host["Privileged"], "%s is privileged" % name)
    ok(host["Memory"] == 1 << 30, "%s: memory limit %s" % (name, host["Memory"]))
    ok(host["PidsLimit"] == 512, "%s: pids limit %s" % (name, host["PidsLimit"]))
    ok(not host["PortBindings"], "%s publishes %s" % (name, host["PortBindings"]))
    ok(not any("docker.sock" in m["Source"] for m in seen["Mounts"]), "%s sees the engine's socket" % name)
    return seen
