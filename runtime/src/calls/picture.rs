//! ImageDecoder.

use std::io::Cursor;

use image::{ImageReader, RgbImage};

use super::{Call, Failure, Outcome};

const NOT_DECODED: Failure = Failure::Reason(1);

/// What the numbers of a pixel are.
#[derive(Clone, Copy)]
enum Format {
    Rgb,
    Bgr,
    Grayscale,
}

/// The pixels of a file in any format that is known; its first bytes tell which. Decoders refuse to allocate what no
/// sensible image needs.
fn decode(bytes: &[u8]) -> Option<RgbImage> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    Some(reader.decode().ok()?.into_rgb8())
}

/// The brightness of a pixel by ITU-R BT.601, in units of 2^-16, rounded.
fn brightness([red, green, blue]: [u8; 3]) -> u8 {
    let sum = 19595 * u32::from(red) + 38470 * u32::from(green) + 7471 * u32::from(blue);
    ((sum + 0x8000) >> 16) as u8
}

pub(super) fn decode_image(call: &mut Call<'_>) -> Outcome {
    let file = call.tensor();
    let format = match call.index() {
        0 => Format::Rgb,
        1 => Format::Bgr,
        _ => Format::Grayscale,
    };
    let picture = decode(file.bytes).ok_or(NOT_DECODED)?;
    let numbers = if matches!(format, Format::Grayscale) { 1 } else { 3 };
    let output = call.returned(&[picture.height() as usize, picture.width() as usize, numbers])?;
    for (result, pixel) in output.bytes.chunks_exact_mut(numbers).zip(picture.pixels()) {
        let [red, green, blue] = pixel.0;
        match format {
            Format::Rgb => result.copy_from_slice(&pixel.0),
            Format::Bgr => result.copy_from_slice(&[blue, green, red]),
            Format::Grayscale => result[0] = brightness(pixel.0),
        }
    }
    Ok(())
}
