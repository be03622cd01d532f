//! Images of earlier turns: which of them are sent again, and what replaces the others.

use std::collections::BTreeMap;

use model::{Image, Message, Model, count_message};
use protocol::{Body, TurnId};
use session::{PictureInfo, RecentTurn};

use crate::hub::Services;

/// Images of earlier turns take one part in this many of the window.
const PARTS_OF_WINDOW: u64 = 3;
/// Maximum number of images of earlier turns.
const PICTURES_MAX: usize = 16;
/// Maximum size of all of them: providers refuse larger requests.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The images of earlier turns that are sent again.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    by_turn: BTreeMap<TurnId, Vec<Image>>,
    /// Whether the model accepts images.
    sees: bool,
}

impl Pictures {
    /// Loads the images that fit: those of important turns first, then the newest.
    pub(super) async fn load(
        services: &Services,
        recent: &[RecentTurn],
        model: &dyn Model,
        window_tokens: u64,
    ) -> Self {
        let sees = model.traits().sees;
        let mut by_turn = BTreeMap::new();
        for turn_id in chosen(recent, window_tokens).into_iter().filter(|_| sees) {
            // Images that cannot be read any more are left out.
            let events = services.store.turn_events(turn_id, 0, 1).await.unwrap_or_default();
            if let Some(Body::MessageAccepted(accepted)) = events.into_iter().next().map(|event| event.body) {
                by_turn.insert(turn_id, accepted.request.images.into_iter().filter_map(inline).collect());
            }
        }
        Self { by_turn, sees }
    }

    /// The user's message of an earlier turn with its images, or a line for each that is left out.
    pub(super) fn asked(&self, turn: &RecentTurn) -> Message {
        let images = self.by_turn.get(&turn.turn_id).cloned().unwrap_or_default();
        let mut text = turn.message.clone();
        for picture in turn.pictures.iter().skip(images.len()) {
            text.push_str(&format!("\n\n[{}]", self.in_place_of(picture)));
        }
        Message::User { text, images, notes: String::new() }
    }

    /// Tokens of that message.
    pub(super) fn count(&self, turn: &RecentTurn) -> u64 {
        count_message(&self.asked(turn))
    }

    fn in_place_of(&self, picture: &PictureInfo) -> String {
        let PictureInfo { media_type, bytes } = picture;
        let why = if self.sees { "It has left the conversation." } else { "This model cannot see it." };
        format!("An image came with this message ({media_type}, {bytes} bytes). {why}")
    }
}

/// The turns whose images are sent again.
fn chosen(recent: &[RecentTurn], window_tokens: u64) -> Vec<TurnId> {
    let mut ranked: Vec<&RecentTurn> = recent.iter().rev().filter(|turn| !turn.pictures.is_empty()).collect();
    // Stable: of equal importance, the newest comes first.
    ranked.sort_by_key(|turn| !turn.is_important());
    let tokens = model::count_message(&Message::User {
        text: String::new(),
        images: vec![Image { media_type: String::new(), data: String::new() }],
        notes: String::new(),
    });
    let count_max = usize::try_from(window_tokens / PARTS_OF_WINDOW / tokens.max(1)).unwrap_or(usize::MAX);
    let (mut count_left, mut bytes_left) = (count_max.min(PICTURES_MAX), BYTES_MAX);
    let mut chosen = Vec::new();
    for turn in ranked {
        let bytes: u64 = turn.pictures.iter().map(|picture| picture.bytes).sum();
        if turn.pictures.len() <= count_left && bytes <= bytes_left {
            count_left -= turn.pictures.len();
            bytes_left -= bytes;
            chosen.push(turn.turn_id);
        }
    }
    chosen
}

fn inline(image: protocol::Image) -> Option<Image> {
    match image {
        protocol::Image::Inline { media_type, data } => Some(Image { media_type, data }),
        // URLs were fetched before the message was accepted.
        protocol::Image::Url { .. } => None,
    }
}
