"""Cases of attention."""


def cases(numbers):
    return
    yield
