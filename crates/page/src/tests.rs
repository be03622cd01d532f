//! A page of a few files, whose compressed forms differ in content so that tests can tell them
//! apart.

use super::*;

#[derive(RustEmbed)]
#[folder = "tests/page"]
struct SmallPage;

const SCRIPT: &str = "assets/index-Ab_9-xYz.js";

fn text(path: &str, accepts: &str) -> Option<(String, Option<&'static str>)> {
    find::<SmallPage>(path, accepts).map(|file| (String::from_utf8(file.bytes.into_owned()).unwrap(), file.encoding))
}

#[test]
fn a_file_comes_in_the_smallest_form_that_is_understood() {
    for (accepts, says, encoding) in [
        ("gzip, deflate, br", "brotli, for the test\n", Some("br")),
        ("gzip", "gzip, for the test\n", Some("gzip")),
        ("br;q=0, gzip;q=0", "export const answer = 42;\n", None),
        ("", "export const answer = 42;\n", None),
    ] {
        assert_eq!(text(SCRIPT, accepts), Some((says.to_owned(), encoding)), "{accepts}");
    }
    let (_, encoding) = text("assets/style-01234567.css", "br, gzip").unwrap();
    assert_eq!(encoding, Some("gzip"), "a form that is not there is passed over");
    let (index, encoding) = text("index.html", "br").unwrap();
    assert!(index.contains("Dwell") && encoding.is_none());
}

#[test]
fn each_form_has_a_tag_and_the_type_of_the_plain_file() {
    let forms = ["br", "gzip", ""].map(|accepts| find::<SmallPage>(SCRIPT, accepts).unwrap());
    assert!(forms[0].etag != forms[1].etag && forms[1].etag != forms[2].etag);
    for form in forms {
        assert_eq!(form.media_type, "text/javascript; charset=utf-8");
        assert!(form.etag.len() == 34 && form.etag.starts_with('"') && form.etag.ends_with('"'), "{}", form.etag);
    }
}

#[test]
fn only_names_with_a_hash_are_kept_for_good() {
    for (path, expected) in [
        (SCRIPT, true),
        ("assets/style-01234567.css", true),
        ("assets/a-b-01234567.woff2", true),
        ("index.html", false),
        ("index-01234567.html", false),
        ("assets/logo.svg", false),
        ("assets/-01234567.js", false),
        ("assets/01234567.js", false),
        ("assets/x-0123456.js", false),
        ("assets/", false),
    ] {
        assert_eq!(is_hashed(path), expected, "{path}");
    }
}

#[test]
fn nothing_outside_the_folder_can_be_named() {
    for path in [
        "",
        "/",
        "/index.html",
        "assets",
        "assets/",
        "assets//index-Ab_9-xYz.js",
        "../page/index.html",
        "assets/../index.html",
        "assets/..\\index.html",
        "..",
        "./index.html",
        "%2e%2e/page/index.html",
        "index.html\0",
        "C:index.html",
        ".hidden",
        "nowhere.html",
        "assets/index-Ab_9-xYz.js.br",
        "assets/index-Ab_9-xYz.js.gz",
    ] {
        assert_eq!(find::<SmallPage>(path, "br, gzip"), None, "{path}");
    }
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/page/index.html");
    assert_eq!(find::<SmallPage>(root, ""), None);
}

#[test]
fn a_page_that_was_not_built_has_no_files() {
    #[derive(RustEmbed)]
    #[folder = "tests/nowhere"]
    #[allow_missing = true]
    struct MissingPage;
    assert_eq!(find::<MissingPage>("index.html", ""), None);
}

#[test]
fn the_policy_lets_nothing_in_from_elsewhere() {
    for part in CONTENT_SECURITY_POLICY.split("; ") {
        assert!(!part.contains("unsafe") && !part.contains('*') && !part.contains("http"), "{part}");
    }
    assert!(CONTENT_SECURITY_POLICY.starts_with("default-src 'none'; "));
}
