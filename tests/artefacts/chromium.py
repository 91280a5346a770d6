#!/usr/bin/env python3
"""chromium.py PAGE PICTURE TEXT: whether the example's page, made by examples/web/build.sh, reads a text in a picture in Chromium.

The picture is dropped on the page, as a person would; what the page then shows is sent back to the server that it is from. Prints that; exit
status 1 if it is another text, or none after a minute."""
import functools
import http.server
import json
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

LIMIT = 60

#: The page is in a frame, so that it is the one that people see.
TEST = """<!doctype html><iframe src="index.html"></iframe><script type="module">
const send = (what) => fetch('/result', { method: 'POST', body: JSON.stringify(what) });
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
try {
  const shown = (selector) => document.querySelector('iframe').contentDocument?.querySelector(selector);
  while (!shown('#times')?.textContent.startsWith('ready')) await pause();
  const ready = shown('#times').textContent;
  const transfer = new DataTransfer();
  transfer.items.add(new File([await (await fetch('/picture')).blob()], 'picture'));
  shown('#drop').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  while (!shown('output').textContent) await pause();
  await pause();
  send({ ready, text: shown('output').textContent, times: shown('#times').textContent });
} catch (error) {
  send({ text: `${error}` });
}
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, contents with their types by path, and a place for the result."""

    def __init__(self, *arguments, given, results, **options):
        self.given, self.results = given, results
        super().__init__(*arguments, **options)

    def do_GET(self):
        if self.path not in self.given:
            return super().do_GET()
        kind, content = self.given[self.path]
        self.answer(kind, content)

    def do_POST(self):
        self.results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer("text/plain", b"")

    def answer(self, kind, content):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Nothing is logged."""


def visit(folder, test, given):
    """What a page sends to `/result` in Chromium; None after a minute. The page's text is `test`, and it is in a folder that is served."""
    results = queue.Queue()
    given = {"/test.html": ("text/html", test.encode()), **given}
    handler = functools.partial(Handler, given=given, results=results, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # without a sandbox, as that needs rights that containers lack; a port for a debugger keeps it running
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--remote-debugging-port=0"]
        address = f"http://127.0.0.1:{server.server_address[1]}/test.html"
        browser = subprocess.Popen(["chromium", *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return results.get(timeout=LIMIT)
        except queue.Empty:
            return None
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()


def main():
    page, picture, expected = sys.argv[1:]
    found = visit(page, TEST, {"/picture": ("image/png", Path(picture).read_bytes())}) or {"text": f"nothing after {LIMIT} s"}
    print(", ".join(found[key] for key in ("ready", "text", "times") if key in found))
    return found["text"] != expected


if __name__ == "__main__":
    sys.exit(main())
