#!/usr/bin/env python3
"""Starts `lode serve` with an example data set, and says how to open it. ./dev serve runs this script.

usage: serve.py LODE FOLDER [BASKETS] [OPTIONS of lode serve]

FOLDER keeps data sets and results. If it has no data set yet, the file BASKETS is uploaded.

SPDX-License-Identifier: Apache-2.0
"""
import http.client
import json
import re
import subprocess
import sys
from pathlib import Path


def ask(port, method, path, body=None, kind="application/json"):
    """Sends a request to the server; returns the answer's JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, f"/api/v1{path}", body, {"Content-Type": kind} if body is not None else {})
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    if response.status >= 400:
        raise RuntimeError(answer["error"]["message"])
    return answer


def first_dataset(port, path):
    """The id of the newest data set, or of the uploaded file if there is none yet."""
    there = ask(port, "GET", "/datasets")["datasets"]
    if there:
        return there[0]["id"]
    content = path.read_bytes()
    made = ask(port, "POST", "/datasets", json.dumps({"name": path.name, "bytes": len(content)}))
    for offset in range(0, len(content), 8 << 20):
        ask(port, "PUT", f"/datasets/{made['id']}/content?offset={offset}", content[offset:offset + (8 << 20)],
            "application/octet-stream")
    return made["id"]


def main():
    if len(sys.argv) < 4 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    lode, folder, baskets = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    server = subprocess.Popen([lode, "serve", "--data", folder, *sys.argv[4:]], stdout=subprocess.PIPE, text=True)
    try:
        for line in server.stdout:
            print(line, end="", flush=True)
            found = re.search(r"listening on (http://127\.0\.0\.1:(\d+)/)", line)
            if found:
                number = first_dataset(int(found[2]), baskets)
                print(f"Open {found[1]}#/data/{number} in a browser. Ctrl-C ends the server.", flush=True)
        return server.wait()
    except KeyboardInterrupt:
        return server.wait()  # it got the signal, too
    except (OSError, RuntimeError) as error:
        print(f"serve: the example could not be loaded: {error}", file=sys.stderr)
        server.terminate()
        server.wait()
        return 1


if __name__ == "__main__":
    sys.exit(main())
