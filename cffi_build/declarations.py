"""From preprocessed headers to what the generator needs: types, functions with resolved parameters, constants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast, c_generator, c_parser

from cffi_build.errors import HeadersDoNotParse
from cffi_build.preprocess import Preprocessed

FAMILIES = ("aclmdlRI", "aclrt", "aclnn", "acl")
# Families of the same prefix that this harness has no business with.
_OTHER = ("aclop", "acltdt", "aclprof", "aclmdl", "acldvpp", "aclgrph", "aclblas", "aclfv", "aclsys")
# What the rules on configuration during a capture (CFG) call of those.
_WANTED = {
    "aclmdlInitDump", "aclmdlSetDump", "aclmdlFinalizeDump", "aclprofInit", "aclprofFinalize", "aclprofCreateConfig",
    "aclprofDestroyConfig", "aclprofStart", "aclprofStop",
}  # fmt: skip
_SYSTEM_TYPES = (
    "size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "int8_t", "int16_t", "int32_t", "int64_t",
    "uint8_t", "uint16_t", "uint32_t", "uint64_t", "wchar_t", "FILE", "va_list", "time_t",
)  # fmt: skip
_FLOATS = {"float", "double"}
# Their pointers to pointers stand in device memory, which the host cannot read (API reference 11-03).
_DEVICE_ADDRESSED = {"aclrtMemcpyAsyncWithOffset"}


@dataclass(frozen=True)
class Param:
    """One parameter: name, type as the header spells it, how the ring stores it, and whether it points to a scalar.

    ``store`` is ``word`` (integer, enum, pointer), ``float``, ``double`` or ``struct``; ``text`` marks a C string.
    """

    name: str
    ctype: str
    declared: str
    store: str
    pointee: bool = False
    text: bool = False


@dataclass(frozen=True)
class Function:
    """One API function as declared."""

    name: str
    result: str
    params: tuple[Param, ...]

    @property
    def family(self) -> str:
        """The name prefix that groups it in a listing."""
        return next(one for one in FAMILIES if self.name.startswith(one))

    @property
    def signature(self) -> str:
        """The declaration as one line."""
        return f"{self.result} {self.name}({', '.join(one.declared for one in self.params) or 'void'})"


@dataclass(frozen=True)
class Declarations:
    """Everything that one set of headers declares."""

    types: str
    functions: tuple[Function, ...]
    variadic: tuple[str, ...]
    constants: dict[str, int]
    enums: dict[str, dict[str, int]]


def parse(source: Preprocessed) -> Declarations:
    """Parse preprocessed headers; raises ``HeadersDoNotParse``."""
    system = "".join(f"typedef int {one};\n" for one in _SYSTEM_TYPES)
    try:
        tree = c_parser.CParser().parse(system + source.declarations)
    except c_parser.ParseError as error:
        raise HeadersDoNotParse(f"the headers are not C that pycparser can read: {error}") from error
    return _Reader(source.macros).read(tree.ext[len(_SYSTEM_TYPES) :])


class _Reader:
    def __init__(self, macros: dict[str, int]) -> None:
        self.render = c_generator.CGenerator()
        self.typedefs: dict[str, Any] = {}
        self.constants = dict(macros)
        self.enums: dict[str, dict[str, int]] = {}
        self.types: dict[str, None] = {}
        self.functions: dict[str, Function] = {}
        self.variadic: list[str] = []

    def read(self, nodes: list[Any]) -> Declarations:
        for node in nodes:
            if isinstance(node, c_ast.Typedef):
                self.typedefs[node.name] = node.type
                self._enums_in(node.type, node.name)
                self.types.setdefault(self.render.visit(node) + ";")
            elif isinstance(node, c_ast.Decl):
                self._declaration(node)
        return Declarations(
            "\n".join(self.types),
            tuple(self.functions.values()),
            tuple(self.variadic),
            self.constants,
            self.enums,
        )

    def _declaration(self, node: Any) -> None:
        kind = node.type
        if isinstance(kind, c_ast.FuncDecl):
            self._function(node.name, kind)
        elif isinstance(kind, (c_ast.Struct, c_ast.Union, c_ast.Enum)):
            self._enums_in(kind, None)
            self.types.setdefault(self.render.visit(kind) + ";")
        elif node.init is not None and isinstance(node.init, (c_ast.Constant, c_ast.UnaryOp, c_ast.BinaryOp)):
            value = self._value(node.init)
            if value is not None:
                self.constants[node.name] = value

    def _function(self, name: str, kind: Any) -> None:
        foreign = name.startswith(_OTHER) and not name.startswith("aclmdlRI") and name not in _WANTED
        if foreign or not name.startswith(FAMILIES):
            return
        params = list(kind.args.params) if kind.args else []
        if any(isinstance(one, c_ast.EllipsisParam) for one in params):
            self.variadic.append(name)
            return
        if len(params) == 1 and self.render.visit(params[0]).strip() == "void":
            params = []
        made = tuple(self._param(number, one) for number, one in enumerate(params))
        if name in _DEVICE_ADDRESSED:
            made = tuple(replace(one, pointee=False) for one in made)
        self.functions[name] = Function(name, self.render.visit(_unnamed(kind.type)), made)

    def _param(self, number: int, node: Any) -> Param:
        name = node.name or f"arg{number}"
        kind = node.type
        if isinstance(kind, c_ast.ArrayDecl):
            kind = c_ast.PtrDecl(quals=[], type=kind.type)
        ctype = self.render.visit(_unnamed(kind))
        target = kind.type if isinstance(kind, c_ast.PtrDecl) else None
        const = target is not None and "const" in getattr(target, "quals", [])
        base = self._base(target) if target is not None else ""
        scalar = target is not None and not const and base in {"pointer", "enum", "integer", *_FLOATS}
        plain_char = target is not None and self._char(target)
        return Param(
            name=name,
            ctype=ctype,
            declared=self.render.visit(_declaration(kind, name)),
            store={"float": "float", "double": "double", "struct": "struct"}.get(self._base(kind), "word"),
            pointee=scalar and not plain_char,
            text=plain_char and const,
        )

    def _char(self, node: Any) -> bool:
        return isinstance(node, c_ast.TypeDecl) and getattr(node.type, "names", None) == ["char"]

    def _base(self, node: Any) -> str:
        if isinstance(node, (c_ast.PtrDecl, c_ast.FuncDecl, c_ast.ArrayDecl)):
            return "pointer"
        inner = node.type
        if isinstance(inner, c_ast.Enum):
            return "enum"
        if isinstance(inner, (c_ast.Struct, c_ast.Union)):
            return "struct"
        names: list[str] = inner.names
        if names == ["void"]:
            return "void"
        if len(names) == 1 and names[0] in self.typedefs:
            return self._base(self.typedefs[names[0]])
        return names[-1] if names[-1] in _FLOATS else "integer"

    def _enums_in(self, node: Any, alias: str | None) -> None:
        inner = getattr(node, "type", node) if isinstance(node, c_ast.TypeDecl) else node
        if not isinstance(inner, c_ast.Enum) or inner.values is None:
            return
        members: dict[str, int] = {}
        following = 0
        for one in inner.values.enumerators:
            value = following if one.value is None else self._value(one.value)
            if value is None:
                raise HeadersDoNotParse(f"cannot evaluate the enumerator {one.name}")
            members[one.name] = self.constants[one.name] = value
            following = value + 1
        for name in (alias, inner.name and f"enum {inner.name}"):
            if name:
                self.enums[name] = members

    def _value(self, node: Any) -> int | None:
        if isinstance(node, c_ast.Constant):
            digits = node.value.rstrip("uUlL")
            return (
                int(digits, 8 if digits.startswith("0") and digits.isdigit() else 0) if digits[:1].isdigit() else None
            )
        if isinstance(node, c_ast.ID):
            return self.constants.get(node.name)
        if isinstance(node, c_ast.UnaryOp):
            value = self._value(node.expr)
            return None if value is None else {"-": -value, "+": value, "~": ~value}.get(node.op)
        if isinstance(node, c_ast.BinaryOp):
            left, right = self._value(node.left), self._value(node.right)
            if left is None or right is None:
                return None
            operations = {"<<": left << max(right, 0), "|": left | right, "+": left + right, "-": left - right,
                          "*": left * right, "&": left & right}  # fmt: skip
            return operations.get(node.op)
        if isinstance(node, c_ast.Cast):
            return self._value(node.expr)
        return None


def _declaration(kind: Any, name: str) -> Any:
    """A parameter declaration of ``name`` that the generator can render."""
    typed = _named(kind, name)
    return c_ast.Decl(name, quals=[], align=[], storage=[], funcspec=[], type=typed, init=None, bitsize=None)


def _unnamed(kind: Any) -> Any:
    return _named(kind, None)


def _named(kind: Any, name: str | None) -> Any:
    """A copy of the declarator with its innermost name replaced."""
    if isinstance(kind, c_ast.TypeDecl):
        return c_ast.TypeDecl(declname=name, quals=kind.quals, align=None, type=kind.type)
    if isinstance(kind, c_ast.PtrDecl):
        return c_ast.PtrDecl(quals=kind.quals, type=_named(kind.type, name))
    if isinstance(kind, c_ast.FuncDecl):
        return c_ast.FuncDecl(args=kind.args, type=_named(kind.type, name))
    return c_ast.ArrayDecl(type=_named(kind.type, name), dim=kind.dim, dim_quals=kind.dim_quals)
