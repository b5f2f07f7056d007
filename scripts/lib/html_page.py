# SPDX-License-Identifier: BSD-3-Clause
"""HTML of the Markdown that the pages are written in, by Python-Markdown. Links lead to HTML pages,
wide tables and figures scroll by themselves, a page is light or dark as the reader's system is."""
import html
import os
import re
import string

from results import ResultError

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "html_page.html")
# The tags that page.folded() writes, each in a line of its own.
FOLDING = re.compile(r"</?details>|<summary>.*</summary>")


def library():
    try:
        import markdown
        import markdown.extensions.toc
    except ImportError as error:
        raise ResultError("Python-Markdown is missing: install python3-markdown, or pass --no-html "
                          "for Markdown alone") from error
    return markdown


def anchor(heading):
    """What a link to a heading ends in, here and where GitHub shows the Markdown."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def folding_extension(markdown):
    """Lets the tags of FOLDING through; all other tags are shown as text."""
    class Folding(markdown.preprocessors.Preprocessor):
        def run(self, lines):
            return [part for line in lines for part in
                    (["", self.md.htmlStash.store(line), ""] if FOLDING.fullmatch(line) else
                     [line])]

    class Extension(markdown.extensions.Extension):
        def extendMarkdown(self, md):  # the library's name
            md.preprocessors.deregister("html_block")
            md.inlinePatterns.deregister("html")
            md.preprocessors.register(Folding(md), "folding", 20)

    return Extension()


def scrolling_extension(markdown):
    """Puts tables and figures into boxes that scroll, leads links to HTML pages, and says in one
    letter that a cell is a number."""
    from xml.etree import ElementTree

    def box(parent, child):
        place = list(parent).index(child)
        parent.remove(child)
        around = ElementTree.Element("div", {"class": "wide"})
        around.append(child)
        parent.insert(place, around)

    class Boxes(markdown.treeprocessors.Treeprocessor):
        def run(self, root):
            for table in root.findall("table"):
                box(root, table)
            for paragraph in root.findall("p[img]"):
                paragraph.tag = "div"
                paragraph.set("class", "figure")
            for element in root.iter():
                if element.tag == "a" and "://" not in element.get("href"):
                    element.set("href", re.sub(r"\.md(#|$)", r".html\1", element.get("href")))
                elif element.get("style") == "text-align: right;":
                    del element.attrib["style"]
                    element.set("class", "n")

    class Extension(markdown.extensions.Extension):
        def extendMarkdown(self, md):  # the library's name
            md.treeprocessors.register(Boxes(md), "boxes", 1)

    return Extension()


def page_of(text, title, way_back=""):
    """A whole HTML page. way_back: HTML above the text, such as a link to where one came from."""
    markdown = library()
    body = markdown.markdown(text, extensions=[
        "tables", "sane_lists", folding_extension(markdown), scrolling_extension(markdown),
        markdown.extensions.toc.TocExtension(slugify=lambda heading, _: anchor(heading))])
    with open(TEMPLATE, encoding="utf-8") as file:
        template = string.Template(file.read())
    return template.substitute(title=html.escape(title), way_back=way_back, body=body)
