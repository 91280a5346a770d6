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
    ask_for_pixels(width, height, decoder.total_bytes())?;
    Ok(DynamicImage::from_decoder(decoder).map_err(|_| NOT_DECODED)?.into_rgb8())
}

/// Checks the memory limit for a picture as decoded (`decoded` bytes), converted and returned.
fn ask_for_pixels(width: u32, height: u32, decoded: u64) -> Outcome {
    let bytes = 3 * u64::from(width).saturating_mul(u64::from(height)).min(u64::MAX / 8);
    Ok(limits::ask(decoded.saturating_add(2 * bytes))?)
}

/// The bits of libjpeg-turbo, whose upsampling of chroma the standard requires.
fn decode_jpeg(bytes: &[u8]) -> Result<RgbImage, Failure> {
    let header = probe(bytes).map_err(|_| NOT_DECODED)?;
    let [width, height] = [header.width, header.height].map(|extent| extent as u32);
    ask_for_pixels(width, height, 6 * u64::from(width) * u64::from(height))?;
    let decoder = Decoder::new(bytes).map_err(|_| NOT_DECODED)?;
    let decoder = decoder.with_output_format(PixelFormat::Rgb).with_max_pixels(usize::MAX);
    let image = decoder.decode_image().map_err(|_| NOT_DECODED)?;
    RgbImage::from_vec(image.width as u32, image.height as u32, image.data).ok_or(NOT_DECODED)
}

fn decode_jpeg_2000(bytes: &[u8]) -> Result<RgbImage, Failure> {
    let image = Image::new(bytes, &DecodeSettings::default()).map_err(|_| NOT_DECODED)?;
    // coefficients are floats, one for each sample
    ask_for_pixels(image.width(), image.height(), 20 * u64::from(image.width()) * u64::from(image.height()))?;
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
