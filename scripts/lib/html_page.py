# SPDX-License-Identifier: BSD-3-Clause
"""HTML of the Markdown that the pages use: headings, paragraphs, lists, tables, images, links."""
import html
import re

STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; }
th, td { border: 1px solid #bbb; padding: 0.2em 0.5em; text-align: left; vertical-align: top; }
.number { text-align: right; }
th { background: #eee; }
img { max-width: 100%; }
"""


def inline(text):
    """Code, images and links of a line; everything else is escaped."""
    text = html.escape(text, quote=True)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"!\[([^\]]*)\]\(([^)]+)\)", r'<img src="\2" alt="\1">', text)
    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def row_of(line, tag, numeric):
    return "<tr>" + "".join(
        f'<{tag} class="number">{inline(cell)}</{tag}>' if number else
        f"<{tag}>{inline(cell)}</{tag}>" for cell, number in zip(cells(line), numeric)) + "</tr>"


def block(lines):
    """A paragraph, a list, a table or a heading: the lines between two empty ones."""
    if lines[0].startswith("#"):
        depth = len(lines[0]) - len(lines[0].lstrip("#"))
        return f"<h{depth}>{inline(lines[0].lstrip('# '))}</h{depth}>"
    if lines[0].startswith("|"):
        numeric = [cell.endswith(":") for cell in cells(lines[1])]
        rows = [row_of(lines[0], "th", numeric)]
        rows += [row_of(line, "td", numeric) for line in lines[2:]]
        return "<table>\n" + "\n".join(rows) + "\n</table>"
    if lines[0].startswith("- "):
        items = "\n".join(f"<li>{inline(line[2:])}</li>" for line in lines)
        return f"<ul>\n{items}\n</ul>"
    return f"<p>{inline(' '.join(lines))}</p>"


def page_of(markdown, title):
    """A whole HTML page."""
    blocks = [block(part.splitlines()) for part in re.split(r"\n{2,}", markdown.strip())]
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            + "\n".join(blocks) + "\n</body>\n</html>\n")
