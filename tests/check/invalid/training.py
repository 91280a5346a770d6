"""Faults of training."""

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

def info_of(made):
    return made.training_info[0]


case("training-update-unique", "training 0 / binding 1 'w'", training(), lambda m: info_of(m).update_binding.add(key="w", value="next"))
case("training-update-variable", "training 0 / binding 0 'q'", training(), lambda m: setattr(info_of(m).update_binding[0], "key", "q"))
case("training-update-variable", "training 0 / binding 0 'y'", training(), lambda m: setattr(info_of(m).update_binding[0], "key", "y"))
case("training-update-value", "training 0 / binding 0 'w'", training(), lambda m: setattr(info_of(m).update_binding[0], "value", "q"))
case("training-update-value", "training 0 / binding 0 'w'", training(), lambda m: setattr(info_of(m).update_binding[0], "value", "step"))
case("training-variable-no-input", "training 0 / binding 0 'w'", training(), also_input)
case("training-initialization-variable", "training 0 / binding 0 'q'", training(), lambda m: setattr(info_of(m).initialization_binding[0], "key", "q"))
case("training-initialization-value", "training 0 / binding 0 'w'", training(), lambda m: setattr(info_of(m).initialization_binding[0], "value", "q"))
case("training-initialization-value", "training 0 / binding 0 'w'", training(), lambda m: info_of(m).ClearField("initialization"))
case("training-initialization-unique", "training 0 / binding 1 'w'", training(), lambda m: info_of(m).initialization_binding.add(key="w", value="zero"))
case("training-initialization-no-input", "training 0 / initialization 'initialization' / input 0 'u'", training(), lambda m: info_of(m).initialization.input.append(info("u", FLOAT, [3])))
case("training-combined", "training 0 / algorithm 'algorithm' / node 0 'scale' / output 0 'y'", training(),
     lambda m: (info_of(m).algorithm.node[0].output.__setitem__(0, "y"), info_of(m).algorithm.node[1].input.__setitem__(1, "y")))
case("training-combined", "training 0 / algorithm 'algorithm' / initializer 0 'x'", training(),
     lambda m: (setattr(info_of(m).algorithm.initializer[0], "name", "x"), info_of(m).algorithm.node[0].input.__setitem__(0, "x")))
case("read-defined", "training 0 / algorithm 'algorithm' / node 0 'scale' / input 1 'q'", training(), lambda m: info_of(m).algorithm.node[0].input.__setitem__(1, "q"))
case("output-defined", "training 0 / algorithm 'algorithm' / output 0 'q'", training(), lambda m: (setattr(info_of(m).algorithm.output[0], "name", "q"), setattr(info_of(m).update_binding[0], "value", "q")))
