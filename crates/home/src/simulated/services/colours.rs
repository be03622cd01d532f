//! Colours by name, as in CSS.

/// Common colours, with red, green and blue.
const COLOURS: &[(&str, [u8; 3])] = &[
    ("aqua", [0, 255, 255]),
    ("beige", [245, 245, 220]),
    ("black", [0, 0, 0]),
    ("blue", [0, 0, 255]),
    ("brown", [165, 42, 42]),
    ("coral", [255, 127, 80]),
    ("crimson", [220, 20, 60]),
    ("cyan", [0, 255, 255]),
    ("gold", [255, 215, 0]),
    ("gray", [128, 128, 128]),
    ("green", [0, 128, 0]),
    ("grey", [128, 128, 128]),
    ("indigo", [75, 0, 130]),
    ("ivory", [255, 255, 240]),
    ("lavender", [230, 230, 250]),
    ("lime", [0, 255, 0]),
    ("magenta", [255, 0, 255]),
    ("maroon", [128, 0, 0]),
    ("navy", [0, 0, 128]),
    ("olive", [128, 128, 0]),
    ("orange", [255, 165, 0]),
    ("pink", [255, 192, 203]),
    ("plum", [221, 160, 221]),
    ("purple", [128, 0, 128]),
    ("red", [255, 0, 0]),
    ("salmon", [250, 128, 114]),
    ("silver", [192, 192, 192]),
    ("skyblue", [135, 206, 235]),
    ("tan", [210, 180, 140]),
    ("teal", [0, 128, 128]),
    ("tomato", [255, 99, 71]),
    ("turquoise", [64, 224, 208]),
    ("violet", [238, 130, 238]),
    ("white", [255, 255, 255]),
    ("yellow", [255, 255, 0]),
];

/// The colour with this name.
pub(super) fn colour(name: &str) -> Option<[u8; 3]> {
    let name = name.trim().to_lowercase().replace([' ', '_'], "");
    COLOURS.iter().find(|(known, _)| *known == name).map(|(_, colour)| *colour)
}
