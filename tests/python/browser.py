"""A page in a real browser: Chromium without a window, driven over its debugging pipe."""

import base64
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """Opens files of HTML, runs JavaScript in them, and keeps what they print to the console."""

    def __init__(self):
        program = shutil.which("chromium")
        assert program is not None, "chromium is not installed: tools/setup installs it"
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        reads, self._to = os.pipe()
        self._from, writes = os.pipe()

        def at_its_places():  # it reads descriptor 3 and writes descriptor 4
            high_reads, high_writes = os.dup(reads), os.dup(writes)
            os.dup2(high_reads, 3)
            os.dup2(high_writes, 4)

        # No network: whatever a page asks of another machine is an error of its console.
        self._process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1200,800",
             f"--user-data-dir={self._folder.name}", "about:blank"],
            preexec_fn=at_its_places, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(reads)
        os.close(writes)
        self._number, self._rest, self.console = 0, b"", []
        self._session = None
        target = self.ask("Target.createTarget", url="about:blank")
        self._session = self.ask("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def _receive(self):
        while b"\0" not in self._rest:
            chunk = os.read(self._from, 1 << 20)
            assert chunk, "the browser ended"
            self._rest += chunk
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        told = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.console.append(json.dumps(told["exceptionDetails"]))
        elif message.get("method") == "Runtime.consoleAPICalled":
            self.console.append(json.dumps(told["args"]))
        elif message.get("method") == "Log.entryAdded":
            self.console.append(told["entry"]["text"])

    def ask(self, method, **parameters):
        """The result of a command of the protocol."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data):]
        while True:
            message = self._receive()
            if message.get("id") == self._number:
                assert "error" not in message, message["error"]
                return message["result"]
            self._note(message)

    def open(self, path):
        """Loads a file and waits until it is there and drawn."""
        self.ask("Page.navigate", url=f"file://{path}")
        self.run("new Promise(done => { const wait = () => document.readyState === 'complete' &&"
                 " location.href.startsWith('file:') ? done() : setTimeout(wait, 20); wait(); })")
        self.drawn()

    def run(self, script):
        """The value of an expression of JavaScript, once it has one."""
        result = self.ask("Runtime.evaluate", expression=script, awaitPromise=True,
                          returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def drawn(self):
        """Waits until what was asked for is drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def click(self, x, y, count=1):
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for n in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                         clickCount=n)
        self.drawn()

    def screenshot(self):
        """The bytes of a PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot")["data"])
