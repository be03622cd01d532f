//! Pictures: those given by their address are fetched, guarded, before the message is accepted, so that a turn never
//! depends on somebody else's server, nor a retry on what that says today.

use base64::{Engine, engine::general_purpose::STANDARD};
use protocol::{ChatSend, Image};
use tools::net::Limits;

use super::Hub;
use crate::Error;

/// The largest picture.
const IMAGE_BYTES_MAX: usize = 5 * 1024 * 1024;
/// The kinds that models understand.
const KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

impl Hub {
    /// The message with its pictures at hand.
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
        let limits = Limits { bytes_max: IMAGE_BYTES_MAX, ..Limits::default() };
        let fetched = self.house().fetcher.fetch(url, limits).await;
        let fetched = fetched.map_err(|error| Error::Invalid(format!("the picture cannot be fetched: {error}")))?;
        let media_type = fetched.media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if fetched.is_cut {
            return Err(Error::Invalid(format!("a picture has at most {IMAGE_BYTES_MAX} bytes")));
        }
        if !(200..300).contains(&fetched.status) {
            return Err(Error::Invalid(format!("the picture cannot be fetched: status {}", fetched.status)));
        }
        check_kind(&media_type)?;
        Ok(Image::Inline { media_type, data: STANDARD.encode(&fetched.bytes) })
    }
}

/// Whether a picture is one that is understood and at hand.
pub(super) fn check_image(image: &Image) -> Result<(), Error> {
    match image {
        Image::Inline { media_type, data } => check(media_type, data),
        Image::Url { .. } => Err(Error::Invalid("the picture is elsewhere".to_owned())),
    }
}

fn check(media_type: &str, data: &str) -> Result<(), Error> {
    check_kind(media_type)?;
    match STANDARD.decode(data) {
        Ok(bytes) if bytes.len() > IMAGE_BYTES_MAX => {
            Err(Error::Invalid(format!("a picture has at most {IMAGE_BYTES_MAX} bytes")))
        }
        Ok(bytes) if !bytes.is_empty() => Ok(()),
        _ => Err(Error::Invalid("a picture's `data` is its bytes in base64".to_owned())),
    }
}

fn check_kind(media_type: &str) -> Result<(), Error> {
    if KINDS.contains(&media_type) {
        return Ok(());
    }
    Err(Error::Invalid(format!("`{media_type}` is no kind of picture that is understood: {}", KINDS.join(", "))))
}
