"""Draws words.png, the picture that `./x run` passes to a model: `draw.py FILE`."""

import sys

from PIL import Image, ImageDraw, ImageFilter, ImageFont

WORDS = "Compiled, not interpreted"


def main():
    font = ImageFont.load_default(size=30)
    left, top, right, bottom = font.getbbox(WORDS)
    image = Image.new("RGB", (right - left + 24, 48), (246, 242, 231))
    draw = ImageDraw.Draw(image)
    draw.text((12 - left, 24 - (top + bottom) / 2), WORDS, font=font, fill=(38, 44, 72))
    image = image.rotate(0.4, resample=Image.Resampling.BICUBIC, fillcolor=(246, 242, 231))
    image.filter(ImageFilter.GaussianBlur(0.5)).save(sys.argv[1], optimize=True)


if __name__ == "__main__":
    main()
