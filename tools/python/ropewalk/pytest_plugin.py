"""pytest --ropewalk: the tests run on the virtual GPU. An error fails the test whose launch it is of; a report of all findings
comes at the end, also of what workers of xdist found. Without an installation, `pytest -p ropewalk.pytest_plugin --ropewalk`. Under
`rope-check run -- pytest` the plugin is there without being asked for."""

import contextlib

import pytest

from ropewalk import session as sessions
from ropewalk.library import Error

_NOT_ALL_CHECKED = 3  # the exit code, as that of rope-check run


def pytest_addoption(parser):
    group = parser.getgroup("ropewalk", "Ropewalk's virtual GPU")
    group.addoption("--ropewalk", action="store_true", help="run on the virtual GPU; findings fail the tests that launch")
    group.addoption("--ropewalk-target", metavar="TARGET", default="sm_80", help="sm_80, sm_90 or sm_100")


def pytest_configure(config):
    if config.getoption("--ropewalk") or sessions.is_under_run():
        try:
            plugin = _Plugin(config.getoption("--ropewalk-target"))
        except (Error, ValueError) as error:
            raise pytest.UsageError(f"--ropewalk-target: {str(error).removeprefix('target: ')}") from None
        config.pluginmanager.register(plugin, "ropewalk-session")


def _texts(item):
    """Of what the launches of the last phase found, each once."""
    return [finding.text() for finding in {finding.id: finding for finding in item.ropewalk_found}.values()]


class _Plugin:

    def __init__(self, target):
        self.open = contextlib.ExitStack()
        self.not_run_by_workers = {}
        if sessions.is_under_run():
            self.session = sessions.current()
        else:
            from ropewalk.virtual import in_place
            self.session = sessions.Session({"target": target})
            self.open.enter_context(in_place(self.session))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        item.ropewalk_findings, item.ropewalk_found = [], []  # of the phase that runs, and of the one before
        self.session.listeners.append(item.ropewalk_findings.extend)
        try:
            return (yield)
        finally:
            self.session.listeners.remove(item.ropewalk_findings.extend)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item):
        return (yield from self._judged(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        return (yield from self._judged(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item):
        return (yield from self._judged(item))

    @staticmethod
    def _judged(item):
        """A failure inside the test, so that marks (xfail) and other plugins see it. Parts of a test (subtests) have reports of
        their own before."""
        try:
            result = yield
        finally:
            item.ropewalk_found = item.ropewalk_findings[:]
            item.ropewalk_findings.clear()
        if any(finding.is_error for finding in item.ropewalk_found):
            pytest.fail("\n".join(_texts(item)), pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if item.ropewalk_found:
            texts = _texts(item)
            if not (call.excinfo and call.excinfo.errisinstance(pytest.fail.Exception)):
                report.sections.append(("Ropewalk", "\n".join(texts)))
            # A worker of xdist hands its reports to the process that prints.
            report.user_properties = [*report.user_properties, *(("ropewalk", text) for text in texts)]
            item.ropewalk_found = []
        return report

    def pytest_terminal_summary(self, terminalreporter):
        found = [(report.nodeid, text) for reports in terminalreporter.stats.values() for report in reports
                 for name, text in getattr(report, "user_properties", ()) if name == "ropewalk"]
        by_text = {}
        for test, text in found:
            by_text.setdefault(text.splitlines()[0], []).append(test)
        terminalreporter.section("ropewalk")
        terminalreporter.write_line(f"{self.session.launches} launches in this process, {len(by_text)} findings")
        for text, tests in by_text.items():
            terminalreporter.write_line(f"{text}\n    in {tests[0]}" + (f" and {len(tests) - 1} more" if tests[1:] else ""))
        not_run = self._not_run()
        for entry, reason in not_run.items():
            terminalreporter.write_line(f"not checked: {entry}: {reason}")
        if not_run:
            terminalreporter.write_line("not all launches were checked", red=True)

    def _not_run(self):
        """The reasons, by the names of kernels."""
        return {**self.not_run_by_workers, **dict(self.session.not_run)}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.not_run_by_workers.update(getattr(node, "workeroutput", {}).get("ropewalk_not_run", {}))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["ropewalk_not_run"] = self._not_run()
        elif exitstatus == pytest.ExitCode.OK and self._not_run():
            session.exitstatus = _NOT_ALL_CHECKED

    def pytest_unconfigure(self, config):
        self.open.close()
