"""Everything that can be wrong between a toolkit prefix and a callable library: one class for each way.

Each message says what is wrong and what to do. The command line prints it and exits with 2; pytest does the same.
"""


class ToolkitError(Exception):
    """Base: the toolkit cannot be used."""


class NoSuchPrefix(ToolkitError):
    """The named prefix is not a folder."""


class NoHeaders(ToolkitError):
    """The prefix has no ``acl/acl.h``."""


class NoLibrary(ToolkitError):
    """The prefix has headers, but no ``libascendcl.so``."""


class LibraryDoesNotLoad(ToolkitError):
    """The dynamic loader refuses a library of the prefix."""


class NoCallRing(ToolkitError):
    """The file of the call ring cannot be made."""


class ForeignLibrary(ToolkitError):
    """A symbol came from another toolkit that is already open in this process."""


class NoCompiler(ToolkitError):
    """No C compiler, or no C++ compiler for the reference device."""


class NoPythonHeaders(ToolkitError):
    """``Python.h`` is missing, so that no extension module can be compiled."""


class HeadersDoNotParse(ToolkitError):
    """The preprocessor or the parser cannot read the headers of the prefix."""


class ModuleDoesNotCompile(ToolkitError):
    """The generated module does not compile against the headers of the prefix."""


class RefdeviceDoesNotBuild(ToolkitError):
    """The embedded reference device cannot be built."""


class UnwritableBuildFolder(ToolkitError):
    """``build/`` cannot be written."""


class BadRingFile(ToolkitError):
    """A call-ring file is missing, foreign or cut off."""
