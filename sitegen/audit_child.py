"""Run a Python script as Python itself would, and note what it reads.

    python audit_child.py REPORT SCRIPT [ARGUMENT …]

Standard output and error, sys.argv, __main__ and the exit status are the script's own.
REPORT gets a Python literal when the process ends; `sitegen.audited` reads it.

Imports nothing that a plain Python has not imported already: what is loaded here could
no longer be found beside the script.
"""

import atexit
import os
import sys

STARTS = {
    "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.spawn",
    "os.posix_spawn", "os.startfile", "os.startfile/2", "pty.spawn"}
NETWORK = {"socket.connect", "socket.bind", "socket.getaddrinfo",
           "socket.gethostbyname", "socket.sendto"}
NEW = os.O_TRUNC | os.O_EXCL


class Notes:
    """What happened so far, as the audit events tell it; paths are absolute."""

    def __init__(self):
        self.opened, self.made, self.listed = set(), set(), set()
        self.sought = {}    # folder → names of modules that were looked for in it
        self.tops = set()   # those of them that belong to no package
        self.variables = set()  # of the environment
        self.unseen = ""    # the first thing whose effects no event tells

    def note(self, event, arguments):
        """Take one audit event; there are many, so most are dismissed at once."""
        if event == "open":
            self.note_open(*arguments)
        elif event in ("os.listdir", "os.scandir"):
            if not sys._getframe(1).f_code.co_filename.startswith("<frozen importlib"):
                self.listed.add(absolute(arguments[0] or "."))
        elif event == "import" and arguments[1]:    # compiled: its file is not opened
            self.opened.add(absolute(arguments[1]))
        elif event == "sqlite3.connect":
            self.note_database(os.fsdecode(arguments[0]))
        elif event in STARTS:
            self.unseen = self.unseen or f"starts a process ({event})"
        elif event in NETWORK:
            self.unseen = self.unseen or f"uses the network ({event})"
        elif event == "ctypes.dlopen" and arguments[0]:
            self.unseen = self.unseen or f"loads a C library ({arguments[0]})"

    def note_open(self, path, mode, flags):
        """Note a file that is read, or made: what is made here is nobody's input."""
        if isinstance(path, int):
            return
        path = absolute(path)
        if flags & NEW:
            self.made.add(path)
        elif path not in self.made and flags & os.O_ACCMODE != os.O_WRONLY:
            self.opened.add(path)

    def note_database(self, name):
        """Note SQLite's file, unless it is in memory or named by an address."""
        if name.startswith("file:"):
            self.unseen = self.unseen or f"opens a database by its address ({name})"
        elif name not in ("", ":memory:"):
            self.opened.add(absolute(name))

    def find_spec(self, name, path=None, target=None):
        """Note where a module is looked for, as the first of sys.meta_path; find none.

        The import event names neither what `importlib.import_module` looks for nor
        the folders of a package.
        """
        if name.startswith("multiprocessing.popen_"):   # its spawning tells no event
            self.unseen = self.unseen or "starts a process (multiprocessing)"
        if path is None:
            self.tops.add(name)
        if name not in sys.builtin_module_names:
            for folder in sys.path if path is None else path:
                names = self.sought.setdefault(absolute(folder), set())
                names.add(name.rpartition(".")[2])

    def write(self, report, process):
        """Write the report, unless this is a forked copy of the process."""
        if os.getpid() == process:
            with open(report, "w", encoding="ascii") as file:
                print(ascii({
                    "opened": self.opened, "made": self.made, "listed": self.listed,
                    "sought": self.sought, "missed": self.tops - sys.modules.keys(),
                    "variables": self.variables, "unseen": self.unseen}), file=file)


class Environment(dict):
    """The variables of os.environ, which notes the names that are looked up."""

    def __init__(self, variables, noted):
        super().__init__(variables)
        self.noted = noted

    def __getitem__(self, name):
        self.noted.add(os.fsdecode(name))
        return super().__getitem__(name)


def absolute(path):
    """Return a path as absolute text; a link stays one, since it may be turned."""
    try:
        return os.path.abspath(os.fsdecode(path))
    except (TypeError, OSError):    # an open folder, a removed working folder
        return ""


def without_our_frames(kind, error, trace):
    """Print an uncaught exception as Python does, from the script's first frame on."""
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def run(script):
    """Run a script as the module __main__."""
    path = os.path.abspath(script)
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(os.path.realpath(script))
    with open(script, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    module = type(sys)("__main__")
    vars(module).update(__file__=path, __cached__=None, __builtins__=__builtins__,
                        __annotations__={})
    sys.modules["__main__"] = module
    exec(code, vars(module))


def main():
    report, sys.argv = sys.argv[1], sys.argv[2:]
    notes = Notes()
    # Registered first, it is called last: after the script's own, and its threads.
    atexit.register(notes.write, report, os.getpid())
    sys.excepthook = without_our_frames
    sys.meta_path.insert(0, notes)
    os.environ._data = Environment(os.environ._data, notes.variables)
    if hasattr(os, "environb"):
        os.environb._data = os.environ._data
    sys.addaudithook(notes.note)
    run(sys.argv[0])


if __name__ == "__main__":
    main()
