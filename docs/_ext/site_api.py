"""A page for every public name, made of its docstring, and links from code to these pages."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import api_groups
import site_examples
from docutils import nodes
from sphinx.addnodes import desc_annotation, desc_returns, pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxRole
from sphinx.util.inspect import signature, stringify_signature

ARRAY = re.compile(
    r"(?:np\.)?(?:ndarray\[tuple\[.*?\], dtype\[\w*\]\]|NDArray\[[\w.]*\]|FloatArray)"
)
LITERAL = re.compile(r"Literal\[([^\]]*)\]")
CALLED = re.compile(r"bk\.([\w.]+)(\(.*\))?")
# Whose members are not ours.
FOREIGN = "Exception, ValueError, ImportError, UserWarning, tuple, BaseSearchCV, BaseEstimator"
CLASSES = api_groups.classes()


def write_pages(app: Sphinx) -> None:
    """Write docs/api, one short file per name that autodoc fills; left alone if nothing changed."""
    folder = Path(app.srcdir, "api")
    folder.mkdir(exist_ok=True)
    wanted = {f"bestofk.{n}": page(n) for names in api_groups.groups().values() for n in names}
    for path in folder.glob("*.rst"):
        if path.stem not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def page(name: str) -> str:
    module, _, last = f"bestofk.{name}".rpartition(".")
    short = f"bk.{name}" if name in api_groups.public() else last
    lines = [short, "=" * len(short), "", f".. currentmodule:: {module}", ""]
    if inspect.isclass(api_groups.thing(name)):
        lines += [site_examples.returned_by(name), ""]
        lines += [f".. autoclass:: {last}", "   :members:", f"   :inherited-members: {FOREIGN}"]
    else:
        lines += [f".. autofunction:: {last}"]
    return "\n".join([*lines, ""])


def skip(app: Sphinx, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out what is there for other parts of bestofk."""
    return True if api_groups.INTERNAL.fullmatch(name) else None


def add_imports(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Let every example say where its names come from."""
    lines[:] = site_examples.with_imports(lines)


def tidy_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, args: str | None, returns: str | None
) -> tuple[str | None, str | None] | None:
    """Show defaults, not annotations, which the list of parameters has in words.

    A result is made by a function: how to construct it is nobody's business.
    """
    from bestofk._base.caveat import Caveated

    if what == "class" and issubclass(obj, (Caveated, tuple)) and obj.__name__ != "Scores":
        return "", None
    if args is None or what in ("property", "attribute"):
        return None
    try:
        found = signature(obj, bound_method=what == "method" and inspect.isfunction(obj))
    except (TypeError, ValueError):
        return args, returns
    shown = stringify_signature(found, show_annotation=False, show_return_annotation=False)
    return shown, None if (returns or "").endswith("result.Result") else returns


class Name(SphinxRole):
    """What single backticks mean in a docstring: a link if it is a name of ours, else code."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        env, words = self.env, self.text.removeprefix("bk.").removesuffix("()")
        node = pending_xref(
            self.rawtext, refdomain="py", reftype="obj", reftarget=words, refdoc=env.docname,
            refexplicit=False, soft=True,
        )  # fmt: skip
        node["py:module"] = env.ref_context.get("py:module")
        node["py:class"] = env.ref_context.get("py:class")
        code = nodes.literal(self.rawtext, self.text, classes=["xref"])
        if words == "plot":  # which every result has, beside the function
            return [code], []
        node += code
        return [node], []


class ShortTypes(SphinxPostTransform):
    """Write types as the text does: array, {"trials", "cost"}; with links to our classes."""

    default_priority = 4

    def run(self, **kwargs: Any) -> None:
        for node in list(self.document.findall(desc_returns)) + [
            n for n in self.document.findall(desc_annotation) if n.astext().startswith(":")
        ]:
            text = LITERAL.sub(r"{\1}", ARRAY.sub("array", node.astext()))
            node.clear()
            for part in re.split(r"(\w+)", re.sub(r"^(: | -> )", "", text)):
                node += self.linked(part) if part in CLASSES else nodes.Text(part)
            if isinstance(node, desc_annotation):
                node.insert(0, nodes.Text(": "))

    def linked(self, name: str) -> nodes.Node:
        link = pending_xref(
            "", refdomain="py", reftype="class", reftarget=CLASSES[name], refdoc=self.env.docname
        )
        link += nodes.Text(name)
        return link


class LinkCalls(SphinxPostTransform):
    """Link `bk.compare(…)` and `Band` in the text of a page to the pages of these names."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        for node in list(self.document.findall(nodes.literal)):
            text = node.astext()
            match = CALLED.fullmatch(text)
            name = f"bestofk.{match[1]}" if match else CLASSES.get(text)
            if name and not inside_link(node):
                link = pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=name,
                    refdoc=self.env.docname, refexplicit=False, soft=True,
                )  # fmt: skip
                node.replace_self(link)
                link += node


def inside_link(node: nodes.Node) -> bool:
    kinds = (nodes.reference, pending_xref, nodes.title)
    while node := node.parent:
        if isinstance(node, kinds):
            return True
    return False


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Node
) -> nodes.Node | None:
    """Find a class by its own name wherever it lives; let code that is no name be code."""
    if node.get("refdomain") != "py":
        return None
    last = node["reftarget"].rpartition(".")[2]
    objects = env.get_domain("py").objects
    if (home := CLASSES.get(last)) in objects:
        found = objects[home]
        uri = app.builder.get_relative_uri(node["refdoc"], found.docname)
        return nodes.reference("", "", content, internal=True, refuri=f"{uri}#{found.node_id}")
    return content if node.get("soft") or node["reftype"] == "obj" else None


def link_types(app: Sphinx) -> None:
    """Link our classes in types of parameters, not those of Python and numpy."""
    app.config.numpydoc_xref_aliases_complete = dict(CLASSES)


def one_signature(app: Sphinx) -> None:
    """Show the signature that a function has, not the overloads that type checkers read."""
    for name in {*CLASSES.values()} | {f"bestofk.{n}" for n in api_groups.public()}:
        module = api_groups.thing(name.removeprefix("bestofk.")).__module__
        analyzer = ModuleAnalyzer.for_module(module)
        analyzer.analyze()
        analyzer.overloads.clear()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", write_pages)
    app.connect("builder-inited", link_types, priority=900)
    app.connect("builder-inited", one_signature)
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-docstring", add_imports, priority=400)  # before numpydoc
    app.connect("autodoc-process-signature", tidy_signature)
    app.connect("missing-reference", resolve)
    app.add_role("name", Name())
    app.add_post_transform(ShortTypes)
    app.add_post_transform(LinkCalls)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
