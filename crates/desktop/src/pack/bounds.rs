//! The bounds of a window: requested by the model, or chosen.

use ports::ToolFailure;
use protocol::{Bounds, WindowContent};

/// The width of a desktop.
const WIDTH: u32 = 7_680;
/// The height of a desktop.
const HEIGHT: u32 = 4_320;
/// The minimum width of an agent's window.
pub const WIDTH_MIN: u32 = 400;
/// The minimum height.
pub const HEIGHT_MIN: u32 = 300;
/// The offset from one window to the next.
const STEP: u32 = 160;

/// The bounds that a model requested.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RequestedBounds {
    pub(super) x: Option<u32>,
    pub(super) y: Option<u32>,
    pub(super) width: Option<u32>,
    pub(super) height: Option<u32>,
}

impl RequestedBounds {
    /// Checks the four numbers.
    pub(super) fn read(
        x: Option<f64>,
        y: Option<f64>,
        width: Option<f64>,
        height: Option<f64>,
    ) -> Result<Self, ToolFailure> {
        let requested = Self {
            x: number("x", x, 0, WIDTH - WIDTH_MIN)?,
            y: number("y", y, 0, HEIGHT - HEIGHT_MIN)?,
            width: number("width", width, WIDTH_MIN, WIDTH)?,
            height: number("height", height, HEIGHT_MIN, HEIGHT)?,
        };
        inside(("x", requested.x), ("width", requested.width), WIDTH)?;
        inside(("y", requested.y), ("height", requested.height), HEIGHT)?;
        Ok(requested)
    }

    /// The bounds of a new window beside the other visible windows. Requested values are kept, and
    /// the others are chosen: the first free place, or else a corner where no window begins.
    pub(super) fn bounds(self, content: &WindowContent, others: &[Bounds]) -> Bounds {
        let (width, height) = size(content);
        let at = |(x, y): (u32, u32)| {
            let (x, width) = side(self.x, self.width, x, width, WIDTH);
            let (y, height) = side(self.y, self.height, y, height, HEIGHT);
            Bounds { x, y, width, height }
        };
        let corners = || (1..WIDTH / STEP).flat_map(|column| (1..HEIGHT / STEP).map(move |row| (column, row)));
        let places = || corners().map(|(column, row)| at((STEP * column, STEP * row)));
        let is_free = |bounds: &Bounds| others.iter().all(|other| !overlap(bounds, other));
        let begins_alone = |bounds: &Bounds| others.iter().all(|other| (other.x, other.y) != (bounds.x, bounds.y));
        let mut cascade = (1..HEIGHT / STEP).map(|step| at((STEP * step, STEP * step)));
        places().find(is_free).or_else(|| cascade.find(begins_alone)).unwrap_or_else(|| at((STEP, STEP)))
    }
}

/// Whether two windows cover a part of each other.
const fn overlap(a: &Bounds, b: &Bounds) -> bool {
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/// The default size for a type of content.
const fn size(content: &WindowContent) -> (u32, u32) {
    match content {
        WindowContent::Markdown { .. } | WindowContent::Html { .. } => (2_600, 2_400),
        WindowContent::Text { .. } => (2_400, 1_800),
        WindowContent::Table { .. } => (3_200, 2_200),
        WindowContent::Chart(_) => (3_000, 2_200),
        WindowContent::Components(_) => (2_200, 2_200),
        WindowContent::Artifact(_) => (3_000, 2_600),
        WindowContent::App { .. } => (2_400, 2_400),
    }
}

/// Position and length along one axis.
fn side(place: Option<u32>, length: Option<u32>, usual_place: u32, usual_length: u32, whole: u32) -> (u32, u32) {
    let space = whole.saturating_sub(place.unwrap_or(0));
    let length = length.unwrap_or(usual_length.min(space));
    (place.unwrap_or(usual_place.min(whole.saturating_sub(length))), length)
}

fn number(field: &str, number: Option<f64>, min: u32, max: u32) -> Result<Option<u32>, ToolFailure> {
    let Some(number) = number else { return Ok(None) };
    let rounded = number.round();
    if !(f64::from(min)..=f64::from(max)).contains(&rounded) {
        return Err(ToolFailure::Invalid(format!(
            "`{field}` is {number}, and has to be {min} to {max}: the desktop is {WIDTH} wide and {HEIGHT} high"
        )));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between two numbers that fit")]
    Ok(Some(rounded as u32))
}

fn inside(place: (&str, Option<u32>), length: (&str, Option<u32>), whole: u32) -> Result<(), ToolFailure> {
    match (place.1, length.1) {
        (Some(at), Some(long)) if at + long > whole => Err(ToolFailure::Invalid(format!(
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
    fn new_windows_go_where_there_is_space_then_cascade_and_stay_on_the_desktop() {
        let content = WindowContent::Text { text: String::new() };
        for requested in [
            RequestedBounds::default(),
            RequestedBounds { x: Some(7_280), ..RequestedBounds::default() },
            RequestedBounds { width: Some(7_680), height: Some(4_320), ..RequestedBounds::default() },
            RequestedBounds { y: Some(4_000), width: Some(400), ..RequestedBounds::default() },
        ] {
            let mut others = Vec::new();
            for _ in 0..40 {
                let bounds = requested.bounds(&content, &others);
                assert!(bounds.x + bounds.width <= WIDTH && bounds.y + bounds.height <= HEIGHT, "{bounds:?}");
                assert!(bounds.width >= WIDTH_MIN && bounds.height >= HEIGHT_MIN, "{bounds:?}");
                others.push(bounds);
            }
        }
        let mut others: Vec<Bounds> = Vec::new();
        for _ in 0..12 {
            others.push(RequestedBounds::default().bounds(&content, &others));
        }
        let (beside, cascade) = others.split_at(6);
        for (at, one) in beside.iter().enumerate() {
            assert!(beside[at + 1..].iter().all(|other| !overlap(one, other)), "{beside:?}");
        }
        let mut corners: Vec<(u32, u32)> = others.iter().map(|bounds| (bounds.x, bounds.y)).collect();
        corners.sort_unstable();
        corners.dedup();
        assert_eq!(corners.len(), 12, "no window hides another's corner: {cascade:?}");
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
            let failure = RequestedBounds::read(x, y, width, height).unwrap_err();
            assert!(failure.to_string().contains(why), "{failure}");
        }
        assert_eq!(RequestedBounds::read(Some(10.4), None, None, None).unwrap().x, Some(10));
    }
}
