"""Faults of operator-set documents."""

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

SET = "operator set 'org.f'"

for damaged in (operator_set().SerializeToString()[:-20], b"\x0a\x09ONNXOPSET\xff"):
    case("file-readable", "model", damaged)
for version in (0, -1, 15):
    case("set-ir-version", SET, operator_set(), lambda m: setattr(m, "ir_version", version))
for domain in ("", "ai.onnx"):
    case("set-domain-stated", f"operator set '{domain}'".removesuffix(" ''"), operator_set(), lambda m: (
        m.ClearField("functions"), setattr(m, "domain", domain)))
for domain in ("shapes", "org..example"):
    case("set-domain", f"operator set '{domain}'", operator_set(domain=domain))
for version in (0, -3):
    case("set-version-positive", SET, operator_set(), lambda m: setattr(m, "opset_version", version))
for version in (1, 3):
    case("set-version-given", "model", calling(version), near=calling(), beside=beside_set)
case("set-operator-named", f"{SET} / operator 1", operator_set(), lambda m: m.operator[1].ClearField("op_type"))
case("set-operator-unique", f"{SET} / operator 1 'f'", operator_set(), lambda m: setattr(m.operator[1], "op_type", "f"))
for version in (0, 3):
    case("set-operator-version", f"{SET} / operator 0 'f'", operator_set(), lambda m: setattr(m.operator[0], "since_version", version))
case("set-function-domain", f"{SET} / function 0 'f'", operator_set(), lambda m: setattr(m.functions[0], "domain", "org.g"))
case("documentation-markdown", f"{SET} / operator 0 'f'", operator_set(), lambda m: setattr(m.operator[0], "doc_string", "<b>f</b>"))
case("function-unique", f"{SET} / function 1 'f'", operator_set(), lambda m: (
    m.functions[1].node[0].ClearField("domain"), setattr(m.functions[1].node[0], "op_type", "Relu"), setattr(m.functions[1], "name", "f")))
case("function-not-recursive", f"{SET} / function 1 'g'", operator_set(), lambda m: setattr(m.functions[1].node[0], "op_type", "g"))
case("read-defined", f"{SET} / function 0 'f' / node 0 'leak' / input 0 'c'", operator_set(), lambda m: m.functions[0].node[0].input.__setitem__(0, "c"))
case("attribute-declared", f"{SET} / function 0 'f' / node 0 'leak' / attribute 'beta'", operator_set(), lambda m: m.functions[0].node[0].attribute.append(attribute("beta", 0.5)))
case("call-attribute-declared", at("node 0 'call'", "attribute 'slope'"), calling(), lambda m: first(m).attribute.append(attribute("slope", 0.5)), beside=beside_set)
