"""Makes docs/live-tree.svg, the moving picture of README, from a real run of the demo on a terminal of 80 x 24.

docs/live_tree.py [TROUPE [OUT]]   (default build/release/bin/troupe and docs/live-tree.svg; needs python3)
"""
import html
import os
import pty
import re
import select
import struct
import sys
import fcntl
import tempfile
import termios
import time

ROWS, COLUMNS = 24, 80
FRAME_SECONDS = 2.0
COLOURS = {"31": "#e06c75", "32": "#98c379", "33": "#e5c07b", "34": "#61afef", "36": "#56b6c2"}


class Screen:
    """What a terminal shows, as far as the live tree needs one: rows of (character, look)."""

    def __init__(self):
        self.rows = [[(" ", "")] * COLUMNS for _ in range(ROWS)]
        self.row, self.column, self.look = 0, 0, ""

    def feed(self, text):
        for token in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.|\n", text, re.S):
            if token[0] == "\x1b":
                self.control(token[2:-1], token[-1])
            elif token == "\r":
                self.column = 0
            elif token == "\n":
                self.down()
            elif token >= " " and self.column < COLUMNS:
                self.rows[self.row][self.column] = (token, self.look)
                self.column += 1

    def control(self, number, kind):
        if kind == "A":
            self.row = max(0, self.row - int(number or 1))
        elif kind == "C":
            self.column = min(COLUMNS - 1, self.column + int(number or 1))
        elif kind == "K":
            self.clear(self.row, self.column)
        elif kind == "J":
            self.clear(self.row, self.column)
            for row in range(self.row + 1, ROWS):
                self.clear(row, 0)
        elif kind == "m":
            self.look = "" if number in ("", "0") else number

    def clear(self, row, column):
        self.rows[row][column:] = [(" ", "")] * (COLUMNS - column)

    def down(self):
        if self.row + 1 < ROWS:
            self.row += 1
        else:
            self.rows = self.rows[1:] + [[(" ", "")] * COLUMNS]

    def drawn(self):
        out = []
        for number, row in enumerate(self.rows):
            spans = []
            for character, look in row:
                if spans and spans[-1][1] == look:
                    spans[-1][0] += character
                else:
                    spans.append([character, look])
            while spans and not spans[-1][0].strip():
                spans.pop()
            if not spans:
                continue
            line = "".join(self.span(*each) for each in spans)
            out.append(f'<text y="{(number + 1) * 18 + 8}" x="14" xml:space="preserve">{line}</text>')
        return "\n".join(out)

    @staticmethod
    def span(text, look):
        style = {"1": ' font-weight="bold"', "2": ' opacity="0.55"'}.get(look, "")
        if look in COLOURS:
            style = f' fill="{COLOURS[look]}"'
        text = html.escape(text, quote=False)
        return f"<tspan{style}>{text}</tspan>" if style else text


def record(words):
    """The frames of a run: what the screen showed every FRAME_SECONDS, and at the end."""
    child, terminal = pty.fork()
    if child == 0:
        with tempfile.TemporaryDirectory() as state:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", XDG_STATE_HOME=state)
            os.environ.pop("NO_COLOR", None)
            time.sleep(0.2)  # until the size is set
            os.execvp(words[0], words)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen, frames, begun, held = Screen(), [], time.monotonic(), b""
    while True:
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if ready:
            try:
                held += os.read(terminal, 65536)
            except OSError:
                break
            if not held:
                break
        if not ready and held:  # a whole picture is there
            screen.feed(held.decode(errors="replace"))
            held = b""
        if time.monotonic() - begun > FRAME_SECONDS * (len(frames) + 1):
            screen.feed(held.decode(errors="replace"))
            held = b""
            frames.append(screen.drawn())
    screen.feed(held.decode(errors="replace"))
    frames.append(screen.drawn())
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        sys.exit("the run failed")
    return frames


def svg_of(frames):
    width, height = COLUMNS * 8 + 100, ROWS * 18 + 24
    whole = FRAME_SECONDS * len(frames) + 4  # the end stays a little
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        "<title>The live tree of troupe run scenarios/demo.json</title>",
        "<style>text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d7dae0}"
        f".f{{opacity:0;animation:show {whole}s step-end infinite}}",
        f"@keyframes show{{0%{{opacity:1}}{100 * FRAME_SECONDS / whole:.3f}%{{opacity:0}}}}",
        f"@keyframes last{{0%{{opacity:1}}{100 * (FRAME_SECONDS + 4) / whole:.3f}%{{opacity:0}}}}",
        ".l{animation-name:last}</style>",
        '<rect width="100%" height="100%" rx="8" fill="#1e2127"/>',
    ]
    for number, frame in enumerate(frames):
        kind = "f l" if number + 1 == len(frames) else "f"
        out.append(f'<g class="{kind}" style="animation-delay:{number * FRAME_SECONDS}s">\n{frame}\n</g>')
    return "\n".join(out + ["</svg>\n"])


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    troupe = sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/troupe"
    to = sys.argv[2] if len(sys.argv) > 2 else "docs/live-tree.svg"
    frames = record([os.path.abspath(troupe), "run", "scenarios/demo.json"])
    with open(to, "w", encoding="utf-8") as file:
        file.write(svg_of(frames))
    print(f"{to}: {len(frames)} frames")


main()
