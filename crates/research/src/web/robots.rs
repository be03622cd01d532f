//! `robots.txt`: a site's rules for crawlers (RFC 9309).

/// Maximum size of a `robots.txt` in bytes.
pub(super) const BYTES_MAX: usize = 500 * 1024;
/// Our name as a user agent.
const NAME: &str = "dwell";

/// The rules of a site that apply to us.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Robots {
    rules: Vec<RobotsRule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct RobotsRule {
    allows: bool,
    pattern: Vec<u8>,
}

impl Robots {
    /// Parses a `robots.txt`: all groups for our name together, or else all groups for `*`.
    pub(super) fn of(text: &str) -> Self {
        let (mut ours, mut everybodys) = (None, Vec::new());
        let (mut is_ours, mut is_everybodys, mut has_rules) = (false, false, true);
        for line in text.trim_start_matches('\u{feff}').split(['\n', '\r']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            let allows = match name.trim().to_ascii_lowercase().as_str() {
                "user-agent" => {
                    // Consecutive user agents share the rules that follow.
                    if has_rules {
                        (is_ours, is_everybodys, has_rules) = (false, false, false);
                    }
                    is_ours |= product(value).eq_ignore_ascii_case(NAME);
                    is_everybodys |= value == "*";
                    if is_ours {
                        ours.get_or_insert_with(Vec::new);
                    }
                    continue;
                }
                "allow" => true,
                "disallow" => false,
                _ => continue,
            };
            has_rules = true;
            // A rule without a path matches nothing.
            if value.is_empty() {
                continue;
            }
            let rule = RobotsRule { allows, pattern: normal(value) };
            if let Some(ours) = ours.as_mut().filter(|_| is_ours) {
                ours.push(rule.clone());
            }
            if is_everybodys {
                everybodys.push(rule);
            }
        }
        Self { rules: ours.unwrap_or(everybodys) }
    }

    /// Whether a path with its query is allowed. The longest matching rule wins; of two equally
    /// long ones, `Allow` wins.
    pub(super) fn allows(&self, path: &str) -> bool {
        let path = normal(path);
        let fitting = self.rules.iter().filter(|rule| fits(&rule.pattern, &path));
        fitting.max_by_key(|rule| (rule.pattern.len(), rule.allows)).is_none_or(|rule| rule.allows)
    }
}

/// The name of a user agent without its version.
fn product(agent: &str) -> &str {
    let is_part = |char: char| char.is_ascii_alphabetic() || "-_".contains(char);
    agent.split(|char| !is_part(char)).next().unwrap_or_default()
}

/// A path in normal form: characters that need no percent encoding have none, all others have it.
fn normal(path: &str) -> Vec<u8> {
    let (mut normal, bytes) = (Vec::with_capacity(path.len()), path.as_bytes());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%').then(|| hex(bytes.get(at + 1..at + 3)?)).flatten();
        at += if escaped.is_some() { 3 } else { 1 };
        let letter = escaped.unwrap_or(byte);
        let is_plain = letter.is_ascii_alphanumeric() || b"-._~".contains(&letter);
        // A literal reserved character stays literal, and an encoded one stays encoded.
        if is_plain || (escaped.is_none() && letter.is_ascii_graphic()) {
            normal.push(letter);
        } else {
            normal.extend(format!("%{letter:02X}").bytes());
        }
    }
    normal
}

fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?,
        16,
    )
    .ok()
}

/// Whether a path matches a pattern from the beginning. `*` matches anything, and `$` at the end of
/// the pattern matches the end of the path.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, is_whole) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split(|byte| *byte == b'*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let parts: Vec<&[u8]> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return !is_whole || rest.is_empty() };
    // The first match leaves the most room for the parts after it.
    for part in middle {
        match find(rest, part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    if is_whole { rest.ends_with(last) } else { find(rest, last).is_some() }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::Robots;

    #[track_caller]
    fn check(robots: &str, allowed: &[&str], refused: &[&str]) {
        let robots = Robots::of(robots);
        for path in allowed {
            assert!(robots.allows(path), "{path} is allowed by {robots:?}");
        }
        for path in refused {
            assert!(!robots.allows(path), "{path} is refused by {robots:?}");
        }
    }

    #[test]
    fn without_rules_everything_is_allowed() {
        for nothing in
            ["", "\u{feff}", "User-agent: *", "User-agent: *\nDisallow:", "<html>not found</html>", "Disallow: /"]
        {
            check(nothing, &["/", "/a?b=c"], &[]);
        }
    }

    #[test]
    fn our_own_groups_come_before_everybodys_and_belong_together() {
        let robots = "User-agent: *\nDisallow: /\n\nuser-agent: DWELL/2.0 # us\nDisallow: /a\n\n\
                      User-agent: other\nUser-agent: dwell\nDisallow: /b\nCrawl-delay: 5\nDisallow: /c";
        check(robots, &["/", "/d"], &["/a", "/ab", "/b", "/c"]);
        check("User-agent: *\nDisallow: /\nUser-agent: dwell\n", &["/"], &[]);
        check("User-agent: dwelling\nDisallow: /\n", &["/"], &[]);
        check("User-agent: other\nDisallow: /\nUser-agent: *\nDisallow: /x", &["/"], &["/x"]);
    }

    #[test]
    fn the_longest_rule_decides_and_the_kinder_of_two() {
        let rules = "User-agent: *\nDisallow: /\nAllow: /public\nDisallow: /public/not\nAllow: /same\nDisallow: /same";
        check(rules, &["/public", "/public/a", "/same"], &["/", "/public/not/a", "/other"]);
    }

    #[test]
    fn stars_stand_for_anything_and_dollars_for_the_end() {
        let rules = "User-agent: *\nDisallow: /*.pdf$\nDisallow: /a*b*c\nDisallow: /*?session=\nDisallow: /end$";
        check(
            rules,
            &["/x.pdf?page=1", "/acb", "/end/", "/"],
            &["/x.pdf", "/x/y.pdf", "/a-b-c", "/abcd", "/p?session=1", "/end"],
        );
    }

    #[test]
    fn paths_are_compared_however_they_are_escaped() {
        let rules = "User-agent: *\nDisallow: /%7ejoe\nDisallow: /ü\nDisallow: /a%3Cd\nDisallow: /b%2fc";
        check(rules, &["/b/c"], &["/~joe/x", "/%7Ejoe", "/%C3%BC", "/a%3cd", "/b%2Fc"]);
    }
}
