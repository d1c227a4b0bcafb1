"""Wiring only: the plugins of this harness (options, fixtures, verdicts, reports)."""

pytest_plugins = ["fixtures.plugin", "fixtures.judging", "fixtures.rule_listing", "reports.plugin"]
