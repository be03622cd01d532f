//! Images. Those given by URL are fetched through the guarded client before the message is
//! accepted, so that a turn never depends on another server, nor a retry on what that server
//! returns later.

use base64::{Engine, engine::general_purpose::STANDARD};
use protocol::{ChatSend, Image};
use tools::net::FetchLimits;

use super::Hub;
use crate::Error;

/// The largest image.
const IMAGE_BYTES_MAX: usize = 5 * 1024 * 1024;
/// The media types that models accept.
const KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

impl Hub {
    /// The message with its images downloaded.
    pub(super) async fn with_images(&self, mut send: ChatSend) -> Result<ChatSend, Error> {
        if send.images.len() > session::IMAGES_MAX {
            return Err(session::Refusal::TooManyImages.into());
        }
        for image in &mut send.images {
            match image {
                Image::Inline { media_type, data } => check(media_type, data)?,
                Image::Url { url } => *image = self.fetch_image(url).await?,
            }
        }
        Ok(send)
    }

    async fn fetch_image(&self, url: &str) -> Result<Image, Error> {
        let limits = FetchLimits { bytes_max: IMAGE_BYTES_MAX, ..FetchLimits::default() };
        let fetched = self.services().fetcher.fetch(url, limits).await;
        let fetched = fetched.map_err(|error| Error::Invalid(format!("the image cannot be downloaded: {error}")))?;
        let media_type = fetched.media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if fetched.is_cut {
            return Err(Error::Invalid(format!("an image has at most {IMAGE_BYTES_MAX} bytes")));
        }
        if !(200..300).contains(&fetched.status) {
            return Err(Error::Invalid(format!("the image cannot be downloaded: status {}", fetched.status)));
        }
        check_kind(&media_type)?;
        Ok(Image::Inline { media_type, data: STANDARD.encode(&fetched.bytes) })
    }
}

/// Whether an image has a supported type and contains its data.
pub(super) fn check_image(image: &Image) -> Result<(), Error> {
    match image {
        Image::Inline { media_type, data } => check(media_type, data),
        Image::Url { .. } => Err(Error::Invalid("the image was not downloaded".to_owned())),
    }
}

fn check(media_type: &str, data: &str) -> Result<(), Error> {
    check_kind(media_type)?;
    match STANDARD.decode(data) {
        Ok(bytes) if bytes.len() > IMAGE_BYTES_MAX => {
            Err(Error::Invalid(format!("an image has at most {IMAGE_BYTES_MAX} bytes")))
        }
        Ok(bytes) if !bytes.is_empty() => Ok(()),
        _ => Err(Error::Invalid("an image's `data` must be base64".to_owned())),
    }
}

fn check_kind(media_type: &str) -> Result<(), Error> {
    if KINDS.contains(&media_type) {
        return Ok(());
    }
    Err(Error::Invalid(format!("`{media_type}` is not a supported image type; use one of {}", KINDS.join(", "))))
}
