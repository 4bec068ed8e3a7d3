"""What all tests share: lines that a test wants to be read at the end of a run."""


def pytest_terminal_summary(terminalreporter):
    """Print each test's `record_property("printed", line)`, from any process."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, line in getattr(report, "user_properties", ()):
                if name == "printed" and report.when == "call":
                    terminalreporter.write_line(line)
