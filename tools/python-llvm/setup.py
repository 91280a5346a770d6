"""A package of programs: a wheel for any Python on this kind of processor. ``ONNXC_VERSION`` is its version."""

import os

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class Programs(Distribution):
    """A package that is not pure Python."""

    def has_ext_modules(self) -> bool:
        return True


class AnyPython(bdist_wheel):
    """Names no version of Python and no ABI."""

    def get_tag(self) -> "tuple[str, str, str]":
        return ("py3", "none", super().get_tag()[2])


setup(version=os.environ["ONNXC_VERSION"], distclass=Programs, cmdclass={"bdist_wheel": AnyPython})
