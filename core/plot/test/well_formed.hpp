// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lufact::test {

// What is wrong with `text` as XML, or nothing: elements nest, attributes have names and quotes,
// no bare < or & stands in text, an id is there once, and there is one root. A declaration
// (<?...?>, <!doctype ...>) may stand in front. Elements without an end (<meta>) are faults.
inline std::string find_xml_fault(std::string_view text) {
  std::vector<std::string> open, ids;
  std::size_t roots = 0;
  const auto name_end = [](std::string_view s, std::size_t p) {
    while (p < s.size() && (std::isalnum(static_cast<unsigned char>(s[p])) || s[p] == '-' ||
                            s[p] == ':' || s[p] == '_')) {
      ++p;
    }
    return p;
  };
  const auto blank_end = [](std::string_view s, std::size_t p) {
    while (p < s.size() && std::isspace(static_cast<unsigned char>(s[p]))) ++p;
    return p;
  };
  for (std::size_t p = 0; p < text.size();) {
    const char c = text[p];
    if (c == '&') {
      const std::size_t end = text.find(';', p);
      const std::string_view entity = end == text.npos ? "" : text.substr(p, end - p + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;") {
        return "a bare & at " + std::to_string(p);
      }
      p = end + 1;
      continue;
    }
    if (c != '<') {
      if (open.empty() && !std::isspace(static_cast<unsigned char>(c))) return "text at the root";
      ++p;
      continue;
    }
    if (text.substr(p, 2) == "<?" || text.substr(p, 2) == "<!") {
      p = text.find('>', p);
      if (p == text.npos) return "a declaration without an end";
      ++p;
      continue;
    }
    const bool closing = text.substr(p, 2) == "</";
    p += closing ? 2 : 1;
    const std::size_t end = name_end(text, p);
    const std::string name(text.substr(p, end - p));
    if (name.empty()) return "a bare < at " + std::to_string(p);
    p = blank_end(text, end);
    while (!closing && p < text.size() && text[p] != '>' && text[p] != '/') {
      const std::size_t key_end = name_end(text, p);
      const std::string key(text.substr(p, key_end - p));
      if (key.empty() || text.substr(key_end, 2) != "=\"") return "an attribute of " + name;
      const std::size_t value_end = text.find('"', key_end + 2);
      if (value_end == text.npos) return "a value without an end in " + name;
      const std::string value(text.substr(key_end + 2, value_end - key_end - 2));
      if (value.find('<') != value.npos) return "a bare < in a value of " + name;
      if (key == "id") {
        for (const std::string& id : ids) {
          if (id == value) return "the id " + id + " twice";
        }
        ids.push_back(value);
      }
      p = blank_end(text, value_end + 1);
    }
    if (closing) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
    } else if (text.substr(p, 1) == "/") {
      ++p;
      roots += open.empty() ? 1U : 0U;
    } else {
      roots += open.empty() ? 1U : 0U;
      open.push_back(name);
    }
    if (text.substr(p, 1) != ">") return "no end of <" + name;
    ++p;
  }
  if (!open.empty()) return "<" + open.back() + "> is not closed";
  return roots == 1 ? "" : "not one root";
}

}  // namespace lufact::test
