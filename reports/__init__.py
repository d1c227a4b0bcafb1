"""The journal of a run, and its views: terminal summary, record, JUnit, Allure.

``reports`` reads what the cases left behind; it never imports ``suites``.
"""
