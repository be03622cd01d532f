//! Where a window is and how large, as a model says it and where it says nothing.

use protocol::{Bounds, Content};
use tools::Failure;

/// How wide a desktop is.
const WIDTH: u32 = 7_680;
/// How high.
const HEIGHT: u32 = 4_320;
/// The narrowest window an agent opens.
pub const WIDTH_MIN: u32 = 400;
/// The lowest.
pub const HEIGHT_MIN: u32 = 300;
/// From the corner of one window to that of the next.
const STEP: u32 = 160;
/// How many windows stand in a row of corners before it begins anew.
const STEPS: u32 = 8;

/// What a model said of the bounds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    pub(super) x: Option<u32>,
    pub(super) y: Option<u32>,
    pub(super) width: Option<u32>,
    pub(super) height: Option<u32>,
}

impl Wanted {
    /// Reads the four numbers.
    pub(super) fn read(
        x: Option<f64>,
        y: Option<f64>,
        width: Option<f64>,
        height: Option<f64>,
    ) -> Result<Self, Failure> {
        let wanted = Self {
            x: number("x", x, 0, WIDTH - WIDTH_MIN)?,
            y: number("y", y, 0, HEIGHT - HEIGHT_MIN)?,
            width: number("width", width, WIDTH_MIN, WIDTH)?,
            height: number("height", height, HEIGHT_MIN, HEIGHT)?,
        };
        inside(("x", wanted.x), ("width", wanted.width), WIDTH)?;
        inside(("y", wanted.y), ("height", wanted.height), HEIGHT)?;
        Ok(wanted)
    }

    /// The bounds of a new window among so many others; what was said holds, the rest makes room.
    pub(super) fn bounds(self, content: &Content, others: usize) -> Bounds {
        let (width, height) = size(content);
        let step = u32::try_from(others).unwrap_or(0) % STEPS;
        let (x, width) = side(self.x, self.width, STEP * (step + 1), width, WIDTH);
        let (y, height) = side(self.y, self.height, STEP * (step + 1), height, HEIGHT);
        Bounds { x, y, width, height }
    }
}

/// A size that suits the kind of content.
const fn size(content: &Content) -> (u32, u32) {
    match content {
        Content::Markdown { .. } | Content::Html { .. } => (2_600, 2_400),
        Content::Text { .. } => (2_400, 1_800),
        Content::Table { .. } => (3_200, 2_200),
        Content::Chart(_) => (3_000, 2_200),
        Content::Components(_) => (2_200, 2_200),
        Content::Artifact(_) => (3_000, 2_600),
        Content::App { .. } => (2_400, 2_400),
    }
}

/// Place and length along one side.
fn side(place: Option<u32>, length: Option<u32>, usual_place: u32, usual_length: u32, whole: u32) -> (u32, u32) {
    let room = whole.saturating_sub(place.unwrap_or(0));
    let length = length.unwrap_or(usual_length.min(room));
    (place.unwrap_or(usual_place.min(whole.saturating_sub(length))), length)
}

fn number(field: &str, number: Option<f64>, min: u32, max: u32) -> Result<Option<u32>, Failure> {
    let Some(number) = number else { return Ok(None) };
    let rounded = number.round();
    if !(f64::from(min)..=f64::from(max)).contains(&rounded) {
        return Err(Failure::Invalid(format!(
            "`{field}` is {number}, and has to be {min} to {max}: the desktop is {WIDTH} wide and {HEIGHT} high"
        )));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between two numbers that fit")]
    Ok(Some(rounded as u32))
}

fn inside(place: (&str, Option<u32>), length: (&str, Option<u32>), whole: u32) -> Result<(), Failure> {
    match (place.1, length.1) {
        (Some(at), Some(long)) if at + long > whole => Err(Failure::Invalid(format!(
            "`{}` and `{}` are {} together, and the desktop ends at {whole}",
            place.0,
            length.0,
            at + long
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_windows_cascade_and_stay_on_the_desktop() {
        let content = Content::Text { text: String::new() };
        for others in 0..40 {
            for wanted in [
                Wanted::default(),
                Wanted { x: Some(7_280), ..Wanted::default() },
                Wanted { width: Some(7_680), height: Some(4_320), ..Wanted::default() },
                Wanted { y: Some(4_000), width: Some(400), ..Wanted::default() },
            ] {
                let bounds = wanted.bounds(&content, others);
                assert!(bounds.x + bounds.width <= WIDTH && bounds.y + bounds.height <= HEIGHT, "{bounds:?}");
                assert!(bounds.width >= WIDTH_MIN && bounds.height >= HEIGHT_MIN, "{bounds:?}");
            }
        }
        let corner = |others| Wanted::default().bounds(&content, others).x;
        assert_eq!([corner(0), corner(1), corner(7), corner(8)], [160, 320, 1_280, 160]);
    }

    #[test]
    fn numbers_that_are_off_are_refused_by_name() {
        for (numbers, why) in [
            ([Some(-1.0), None, None, None], "`x` is -1"),
            ([None, Some(4_021.0), None, None], "`y` is 4021"),
            ([None, None, Some(399.0), None], "`width` is 399"),
            ([None, None, None, Some(f64::NAN)], "`height` is NaN"),
            ([Some(5_000.0), None, Some(3_000.0), None], "`x` and `width` are 8000 together"),
        ] {
            let [x, y, width, height] = numbers;
            let failure = Wanted::read(x, y, width, height).unwrap_err();
            assert!(failure.to_string().contains(why), "{failure}");
        }
        assert_eq!(Wanted::read(Some(10.4), None, None, None).unwrap().x, Some(10));
    }
}
