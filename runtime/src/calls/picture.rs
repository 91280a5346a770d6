//! ImageDecoder.

use std::io::Cursor;

use hayro_jpeg2000::{ColorSpace, DecodeSettings, DecoderContext, Image};
use image::{DynamicImage, ImageDecoder, ImageReader, RgbImage};
use libjpeg_turbo_rs::{Decoder, PixelFormat, probe};

use super::{Call, Failure, Outcome};

const NOT_DECODED: Failure = Failure::Reason(1);

/// The channels of a pixel.
#[derive(Clone, Copy)]
enum Format {
    Rgb,
    Bgr,
    Grayscale,
}

/// The signatures of JPEG 2000 files: a box of that type, or the code stream itself.
const JPEG_2000: [&[u8]; 2] = [b"\x00\x00\x00\x0CjP  \x0D\x0A\x87\x0A", b"\xFF\x4F\xFF\x51"];

/// The signature of JPEG files.
const JPEG: &[u8] = b"\xFF\xD8\xFF";

/// The pixels of a file in any supported format, recognised by its first bytes. The limit check uses the size that the
/// file states.
fn decode(bytes: &[u8]) -> Result<RgbImage, Failure> {
    if JPEG_2000.iter().any(|begin| bytes.starts_with(begin)) {
        return decode_jpeg_2000(bytes);
    }
    if bytes.starts_with(JPEG) {
        return decode_jpeg(bytes);
    }
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_| NOT_DECODED)?;
    reader.no_limits();
    let decoder = reader.into_decoder().map_err(|_| NOT_DECODED)?;
    let (width, height) = decoder.dimensions();
    check_size(bytes.len(), [width, height], MAX_PIXELS, decoder.total_bytes())?;
    Ok(DynamicImage::from_decoder(decoder).map_err(|_| NOT_DECODED)?.into_rgb8())
}

/// The pixels that a file of any length may state; decoders take time and memory for what it states.
const MAX_PIXELS: u64 = 1 << 26;

/// The pixels for each byte of a larger picture, more than pictures of cameras, scanners and screens have.
const MAX_PIXELS_PER_BYTE: u64 = 256;

/// The same as [`MAX_PIXELS`] for JPEG 2000, whose decoder takes several times as long for a pixel.
const MAX_PIXELS_OF_JPEG_2000: u64 = 1 << 24;

/// Checks the size that a file of `length` bytes states: the number of pixels, of which there may be `most` in a file of
/// any length, and the memory limit for the picture as decoded (`decoded` bytes), converted and returned.
fn check_size(length: usize, [width, height]: [u32; 2], most: u64, decoded: u64) -> Outcome {
    let pixels = u64::from(width) * u64::from(height);
    if pixels > most.max(MAX_PIXELS_PER_BYTE.saturating_mul(length as u64)) {
        return Err(NOT_DECODED);
    }
    Ok(limits::ask(decoded.saturating_add(6 * pixels.min(u64::MAX / 8)))?)
}

/// The bits of libjpeg-turbo, whose upsampling of chroma the standard requires.
fn decode_jpeg(bytes: &[u8]) -> Result<RgbImage, Failure> {
    let header = probe(bytes).map_err(|_| NOT_DECODED)?;
    let [width, height] = [header.width, header.height].map(|extent| extent as u32);
    check_size(bytes.len(), [width, height], MAX_PIXELS, (6 * u64::from(width)).saturating_mul(u64::from(height)))?;
    let decoder = Decoder::new(bytes).map_err(|_| NOT_DECODED)?;
    let decoder = decoder.with_output_format(PixelFormat::Rgb).with_max_pixels(usize::MAX);
    let image = decoder.decode_image().map_err(|_| NOT_DECODED)?;
    RgbImage::from_vec(image.width as u32, image.height as u32, image.data).ok_or(NOT_DECODED)
}

fn decode_jpeg_2000(bytes: &[u8]) -> Result<RgbImage, Failure> {
    let image = Image::new(bytes, &DecodeSettings::default()).map_err(|_| NOT_DECODED)?;
    // coefficients are floats, one for each sample
    let size = [image.width(), image.height()];
    let decoded = (20 * u64::from(size[0])).saturating_mul(u64::from(size[1]));
    check_size(bytes.len(), size, MAX_PIXELS_OF_JPEG_2000, decoded)?;
    // the positions of red, green and blue in a pixel; alpha comes after them
    let places = match image.color_space() {
        ColorSpace::Gray => [0, 0, 0],
        ColorSpace::RGB | ColorSpace::Icc { num_channels: 3, .. } => [0, 1, 2],
        ColorSpace::Icc { num_channels: 1, .. } => [0, 0, 0],
        ColorSpace::CMYK | ColorSpace::Unknown { .. } | ColorSpace::Icc { .. } => return Err(NOT_DECODED),
    };
    let colours = if places[1] == 0 { 1 } else { 3 };
    let numbers = colours + usize::from(image.has_alpha());
    let mut context = DecoderContext::default();
    let pixels = image.decode(&mut context).map_err(|_| NOT_DECODED)?.data_u8();
    let colours = pixels.chunks_exact(numbers).flat_map(|pixel| places.map(|place| pixel[place]));
    RgbImage::from_vec(image.width(), image.height(), colours.collect()).ok_or(NOT_DECODED)
}

/// The luma of a pixel by ITU-R BT.601, in units of 2^-16, rounded.
fn brightness([red, green, blue]: [u8; 3]) -> u8 {
    let sum = 19595 * u32::from(red) + 38470 * u32::from(green) + 7471 * u32::from(blue);
    ((sum + 0x8000) >> 16) as u8
}

/// Decodes a file and drops the picture: for fuzzing.
#[doc(hidden)]
pub fn decode_picture(bytes: &[u8]) {
    drop(decode(bytes));
}

pub(super) fn decode_image(call: &mut Call<'_>) -> Outcome {
    let file = call.tensor();
    let format = match call.index() {
        0 => Format::Rgb,
        1 => Format::Bgr,
        _ => Format::Grayscale,
    };
    let picture = decode(file.bytes)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_no_larger_than_their_files_can_say() {
        let fits = |length, size| check_size(length, size, MAX_PIXELS, 0).is_ok();
        assert!(fits(100, [8192, 8192]));
        assert!(!fits(100, [8192, 8193]));
        assert!(fits(1_000_000, [10_000, 10_000]));
        assert!(!fits(1_000_000, [u32::MAX, u32::MAX]));
        assert!(matches!(decode(b"P6 60000 60000 255\n"), Err(NOT_DECODED)));
    }
}
