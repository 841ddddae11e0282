"""Findings of a verification, line by line, and the facts that they establish (D66, D76)."""

from dataclasses import dataclass, field

FACTS = ("signed", "anchored", "refereed", "re-executed", "software", "hardware")
"""What can be known about an answer. This package never establishes the last four: it executes no model and reads no evidence."""

_TELLING = ("signed", "re-executed", "hardware")


@dataclass(frozen=True)
class Line:
    """One check: `about` is 'bundle' or 'answer 1', `status` is 'holds', 'fails' or 'unchecked'."""

    about: str
    status: str
    text: str
    fields: tuple = ()

    def as_json(self):
        """As `assay job verify --json` prints it."""
        line = {"about": self.about, "status": self.status, "text": self.text}
        return {**line, "fields": list(self.fields)} if self.fields else line


@dataclass(frozen=True)
class Report:
    """All lines, the facts of each answer, and whether no line fails."""

    lines: tuple
    facts: tuple
    holds: bool

    def as_json(self):
        """As `assay job verify --json` prints it, without the verdict."""
        return {
            "lines": [line.as_json() for line in self.lines],
            "facts": [list(each) for each in self.facts],
            "holds": self.holds,
        }


def verdict_of(report, required=()):
    """'holds', 'fails', or 'unchecked' where nothing failed but a required fact is not established."""
    if not report.holds:
        return "fails"

    def suffices(known):
        return all(fact in known for fact in required) if required else any(fact in known for fact in _TELLING)

    return "holds" if report.facts and all(suffices(each) for each in report.facts) else "unchecked"


@dataclass
class Findings:
    """Collects lines, facts and proven claims about one subject."""

    about: str
    lines: list = field(default_factory=list)
    facts: set = field(default_factory=set)
    proven: set = field(default_factory=set)

    def check(self, holds, text, reason):
        """The line `text` when it holds, else a failed one with the reason. Returns whether it holds."""
        self.lines.append(Line(self.about, "holds" if holds else "fails", text if holds else reason))
        return holds

    def unchecked(self, text, fields=()):
        """A line about what was neither proven nor refuted."""
        self.lines.append(Line(self.about, "unchecked", text, tuple(fields)))

    def proves(self, *fields):
        """Notes that claims were proven, so that they are not listed as unchecked."""
        self.proven.update(fields)

    @property
    def has_failed(self):
        """Whether a line fails."""
        return any(line.status == "fails" for line in self.lines)
