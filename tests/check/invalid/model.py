"""Faults of models."""

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

for damaged in (b"", b"hello, world", bytes(64), b"\x08\x0a", relu().SerializeToString()[:-20]):
    case("file-readable", "model", damaged)

for version in (0, -1, 15, 99):
    case("model-ir-version", "model", relu(), lambda m: setattr(m, "ir_version", version))
for domain in ("", "example", "org..example", ".org", "org.", "1org.example", "org.ex ample", "http://example.org"):
    case("model-domain", "model", relu(), lambda m: setattr(m, "domain", domain))
case("model-producer", "model", relu(), lambda m: m.ClearField("producer_name"))
for count, keys in enumerate((["a", "a"], ["a", "b", "a"], ["model_author", "model_author"])):
    made = relu()
    for key in keys:
        made.metadata_props.add(key=key, value="v")
    case("metadata-key-unique", f"metadata {len(keys) - 1} '{keys[-1]}'", made)
case("metadata-key-unique", at("metadata 1 'k'"), relu(),
     lambda m: [m.graph.metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-unique", at("node 0 'relu'", "metadata 1 'k'"), relu(),
     lambda m: [first(m).metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-unique", at("input 0 'x'", "metadata 1 'k'"), relu(),
     lambda m: [m.graph.input[0].metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-unique", at("initializer 0 'w'", "metadata 1 'k'"), weighted(),
     lambda m: [m.graph.initializer[0].metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-unique", "function 0 'f' / metadata 1 'k'", called(),
     lambda m: [m.functions[0].metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-named", "metadata 0", relu(), lambda m: m.metadata_props.add(key="", value="v"))
case("metadata-key-named", at("metadata 0"), relu(), lambda m: m.graph.metadata_props.add(key="", value="v"))
for text in ("<b>bold</b>", "see <a href='x'>this</a>", "one<br>two", "<TABLE><tr></tr></TABLE>", "<script>x</script>"):
    case("documentation-markdown", "model", relu(), lambda m: setattr(m, "doc_string", text))
case("documentation-markdown", G, relu(), lambda m: setattr(m.graph, "doc_string", "<p>text</p>"))
case("documentation-markdown", at("node 0 'relu'"), relu(), lambda m: setattr(first(m), "doc_string", "<i>text</i>"))
case("documentation-markdown", at("input 0 'x'"), relu(), lambda m: setattr(m.graph.input[0], "doc_string", "<em>x</em>"))
