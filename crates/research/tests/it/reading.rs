//! Extracting text from pages, texts and PDF files.

use std::path::Path;

use proptest::prelude::*;
use research::read::{
    ExtractedText, MediaKind, ReadError,
    pdf::{InProcessPdfReader, PdfReader, serve},
    read,
};

use crate::paper::{pdf, written};

const LONG: &str = "The heat pump was put in during the autumn of 2024, and it has run without a fault ever since, apart from \
                    one cold night in January when the outer unit froze over and had to be thawed by hand with warm water.";

fn html(text: &str) -> ExtractedText {
    read(MediaKind::Html, text.as_bytes(), None).unwrap()
}

fn page(body: &str) -> String {
    html(&format!("<!doctype html><html><head><title>T</title></head><body>{body}</body></html>")).body
}

#[test]
fn headings_paragraphs_and_lists_become_lines() {
    let body = page(
        "<main><h1>Heat  pumps</h1><p>One <b>bold</b>\n word &amp; a <a href=/x>link</a>.<p>Two<br>lines.\
         <ul><li>first<li>second<ul><li>inner</ul><li><p>third</p></ul><h2>Costs</h2>\
         <blockquote>Quoted</blockquote><pre>let a = 1;\n  let b = 2;\n</pre>\
         <dl><dt>COP</dt><dd>a ratio</dd></dl><p>A <img src=x alt='small diagram'> here.</main>",
    );
    assert_eq!(
        body,
        "# Heat pumps\n\nOne bold word & a link.\n\nTwo\nlines.\n\n- first\n- second\n  - inner\n- third\n\n## Costs\n\n\
         Quoted\n\nlet a = 1;\n  let b = 2;\n\nCOP\na ratio\n\nA small diagram here."
    );
}

#[test]
fn tables_are_kept() {
    let table = "<table><caption>Use</caption><tfoot><tr><td>Sum<td>590<td></tfoot>\
                 <tbody><tr><td rowspan=2>2026<td>310<td>a|b<tr><td>280<td>c</tbody>\
                 <thead><tr><th>Year<th>kWh<th>Note</thead></table>";
    let rows = "Use\n| Year | kWh | Note |\n| Sum | 590 |  |\n| 2026 | 310 | a\\|b |\n| 2026 | 280 | c |";
    assert_eq!(page(table), rows);
    // Also in the middle of an article, and with cells that span several columns.
    let body = page(&format!(
        "<div><p>{LONG}</p><table><tr><th colspan=2>Month<th>kWh<tr><td>Jan<td>cold<td>310</table><p>{LONG}</p></div>"
    ));
    assert_eq!(body, format!("{LONG}\n\n| Month |  | kWh |\n| Jan | cold | 310 |\n\n{LONG}"));
    for odd in ["colspan=0", "colspan=99999999", "colspan=-1", "rowspan=x", "rowspan=65535"] {
        assert!(page(&format!("<table><tr><td {odd}>a<td>b<tr><td>c<td>d</table>")).contains("| a |"), "{odd}");
    }
}

#[test]
fn tables_that_only_arrange_a_page_are_read_as_a_page() {
    let body = page(&format!("<table><tr><td>Menu</td><td><h1>Pump</h1><p>{LONG}</p><p>{LONG}</p></td></tr></table>"));
    assert!(body.contains(&format!("{LONG}\n\n{LONG}")) && !body.contains('|'), "{body}");
}

#[test]
fn what_is_there_for_getting_about_is_left_out() {
    let around = format!(
        "<header><a href=/>Home</a> <a href=/b>Blog</a></header><nav><ul><li><a href=/1>Menu one</a></ul></nav>\
         <div class='cookie-banner'>We value your privacy. Accept all?</div>\
         <div id=content><h1>Pump</h1><p>{LONG}</p>\
         <form><label>Name</label><input><button>Send now</button></form>\
         <div><a href=/r1>Another story</a> <a href=/r2>A third story</a> <a href=/r3>A fourth</a></div>\
         <p>{LONG}</p><aside>Read also: boilers</aside></div>\
         <div role=contentinfo>Imprint</div><footer>Copyright</footer><script>let x = '<p>script</p>';</script>\
         <style>p {{ color: red }}</style><noscript>Switch scripts on</noscript><template>Later</template>"
    );
    assert_eq!(page(&around), format!("# Pump\n\n{LONG}\n\n{LONG}"));
}

#[test]
fn hidden_content_is_not_read() {
    for hidden in [
        "<div hidden>SECRET</div>",
        "<p aria-hidden=TRUE>SECRET</p>",
        "<p style='color: red; DISPLAY : none !important'>SECRET</p>",
        "<span style=visibility:hidden>SECRET</span>",
        "<span style='font-size:0px'>SECRET</span>",
        "<div style='opacity:0.0'><p>SECRET</p></div>",
        "<span class='sr-only'>SECRET</span>",
        "<dialog>SECRET</dialog>",
        "<!-- SECRET -->",
        "<svg><title>SECRET</title><text>SECRET</text></svg>",
        "<script type=application/json>SECRET</script>",
        "<table><tr><td>a<td style='display:none'>SECRET<td>b</table>",
        "<iframe>SECRET</iframe>",
    ] {
        let body = page(&format!("<main><p>{LONG}</p>{hidden}<p>After.</p></main>"));
        assert!(!body.contains("SECRET") && body.contains(LONG) && body.contains("After."), "{hidden}: {body}");
    }
    // Invisible characters can spell words too.
    let body = page("<p>Say\u{200b} yes\u{e0041}\u{e0042}\u{202e}, soft\u{ad}ly.</p>");
    assert_eq!(body, "Say yes, softly.");
}

#[test]
fn short_pages_and_lists_of_links_are_read_as_they_are() {
    assert_eq!(page("<p>Gone fishing.</p>"), "Gone fishing.");
    let links: String = (1..6).map(|n| format!("<li><a href=/{n}>Story {n}</a>")).collect();
    assert_eq!(page(&format!("<ul>{links}</ul>")), "- Story 1\n- Story 2\n- Story 3\n- Story 4\n- Story 5");
    // Some pages are one form, and some have an empty main element.
    assert!(page(&format!("<form><p>{LONG}<p>{LONG}<p>{LONG}</form>")).contains(LONG));
    assert!(page(&format!("<main></main><div><p>{LONG}</p><p>{LONG}</p></div>")).contains(LONG));
    assert_eq!(page(""), "");
}

#[test]
fn pages_say_what_they_are_called() {
    for (head, title) in [
        ("<meta property='og:title' content='A &amp; B'><title>A - Site</title>", Some("A & B")),
        ("<title>\n A  page\n</title>", Some("A page")),
        ("<meta property='og:title' content=' '><title>Page</title>", Some("Page")),
        ("<title></title></head><body><svg><title>Icon</title></svg><h1>Heading</h1>", Some("Heading")),
        ("", None),
    ] {
        assert_eq!(html(&format!("<html><head>{head}")).title.as_deref(), title, "{head}");
    }
    assert_eq!(html(&format!("<title>{}</title>", "x".repeat(5000))).title.unwrap().len(), 200);
}

#[test]
fn pages_say_when_they_were_written() {
    let ld = r#"<script type="application/ld+json">{"@graph":[{"author":{"name":"x"}},{"datePublished":"2026-03-03T08:00:00Z"}]}</script>"#;
    for (head, day) in [
        (format!("<meta property=article:published_time content=2020-01-01>{ld}"), Some("2026-03-03")),
        ("<meta property=article:published_time content=2026-03-03T08:00>".to_owned(), Some("2026-03-03")),
        ("<meta name=DC.date.issued content='3 March 2026'>".to_owned(), Some("2026-03-03")),
        ("<time datetime=2026-03-03>yesterday</time>".to_owned(), Some("2026-03-03")),
        ("<time datetime=2025-01-01></time><time datetime=2026-03-03 pubdate>x</time>".to_owned(), Some("2026-03-03")),
        (r#"<script type="application/ld+json">{broken</script>"#.to_owned(), None),
        ("<p>2026-03-03</p>".to_owned(), None),
    ] {
        assert_eq!(html(&head).published.as_deref(), day, "{head}");
    }
}

#[test]
fn letters_are_read_as_they_were_written() {
    let umlaut = b"<meta charset=iso-8859-1><p>K\xfche, 5 \x80</p>";
    assert_eq!(read(MediaKind::Html, umlaut, None).unwrap().body, "Kühe, 5 €");
    assert_eq!(read(MediaKind::Html, b"<p>K\xc3\xbche</p>", None).unwrap().body, "Kühe");
    let old = b"<meta http-equiv=content-type content='text/html; charset=windows-1251'><p>\xcf\xf0\xe8</p>";
    assert_eq!(read(MediaKind::Html, old, None).unwrap().body, "При");
    // The server's encoding overrides the page's, and a byte order mark overrides both.
    assert_eq!(read(MediaKind::Html, b"<meta charset=utf-8><p>\xe9</p>", Some("latin1")).unwrap().body, "é");
    assert_eq!(read(MediaKind::Plain, b"\xef\xbb\xbfK\xc3\xbche", Some("latin1")).unwrap().body, "Kühe");
    assert_eq!(read(MediaKind::Plain, b"\xff\xfeH\0i\0", None).unwrap().body, "Hi");
    assert_eq!(read(MediaKind::Plain, b"\xfe\xff\0H\0i", None).unwrap().body, "Hi");
    assert_eq!(read(MediaKind::Plain, b"na\xefve\r\nlines", None).unwrap().body, "naïve\nlines");
    assert_eq!(read(MediaKind::Plain, b"K\xfche", Some("no-such-thing")).unwrap().body, "Kühe");
    // A text that was cut within a character is still the same text.
    assert!(read(MediaKind::Plain, b"K\xc3\xbche \xe2\x82", None).unwrap().body.starts_with("Kühe"));
}

#[test]
fn pages_of_any_depth_are_read() {
    // A tag in a hundred thousand others, and mixtures in ten thousand.
    for (depth, open, close) in [
        (100_000, "<div>", "</div>"),
        (10_000, "<b><p>", ""),
        (10_000, "<ul><li>", ""),
        (10_000, "<table><tr><td>", ""),
        (10_000, "<a href=x>", "</a>"),
    ] {
        let nested = format!("{}<p>{LONG}</p>{}", open.repeat(depth), close.repeat(depth));
        assert!(page(&nested).contains(LONG), "{open}");
    }
    // Hidden content is hidden at this depth too.
    let hidden = "<div hidden><p>SECRET</p><div>SECRET</div>SECRET</div><script>SECRET</script>";
    let body = page(&format!("{}{hidden}<p>{LONG}</p>", "<div>".repeat(1000)));
    assert!(body.contains(LONG) && !body.contains("SECRET"), "{body}");
    let wide = format!("<p>{LONG}</p><table><tr><td>1</td><td>2</td></tr></table>").repeat(500);
    assert!(page(&wide).len() > 500 * LONG.len());
    let json = format!("<script type='application/ld+json'>{}</script><p>x</p>", "[".repeat(100_000));
    assert_eq!(page(&json), "x");
}

#[test]
fn a_text_ends_where_it_gets_too_long() {
    let body = page(&format!("<p>{}</p>", "é".repeat(3 << 20)));
    assert!(body.len() <= research::read::BODY_BYTES_MAX && body.starts_with("éé"));
}

#[test]
fn markdown_keeps_its_body_and_gives_its_facts() {
    let text =
        "---\ntitle: \"The pump\"\ndate: 2026-03-03 08:00\ntags: [a]\n---\n\n# Heading\n\n| a | b |\n|---|---|\n";
    let read_it = |text: &str| read(MediaKind::Markdown, text.as_bytes(), None).unwrap();
    let read_text = read_it(text);
    assert_eq!((read_text.title.as_deref(), read_text.published.as_deref()), (Some("The pump"), Some("2026-03-03")));
    assert_eq!(read_text.body, "# Heading\n\n| a | b |\n|---|---|");
    assert_eq!(read_it("+++\ntitle = 'T'\ndate = 2026-03-03\n+++\nx").title.as_deref(), Some("T"));
    assert_eq!(read_it("text\n\n```\n# comment\n```\n\n## Real one ##\n").title.as_deref(), Some("Real one"));
    assert_eq!(read_it("Title\n=====\n\nx").title.as_deref(), Some("Title"));
    // A horizontal rule does not start front matter.
    assert_eq!(read_it("---\nno end, title: x").body, "---\nno end, title: x");
    assert_eq!(read_it("#hash, no heading").title, None);
}

#[test]
fn files_are_known_by_their_names() {
    for (name, kind) in [
        ("a.HTML", Some(MediaKind::Html)),
        ("a.b.md", Some(MediaKind::Markdown)),
        ("notes.txt", Some(MediaKind::Plain)),
        ("x.pdf", Some(MediaKind::Pdf)),
        ("x.exe", None),
        ("md", None),
    ] {
        assert_eq!(MediaKind::of_path(Path::new(name)), kind, "{name}");
    }
}

#[tokio::test]
async fn a_pdf_gives_its_words_title_and_date() {
    let words = "The pump draws 1200 watts at most, which is less than we\nexpected of a machine of its size and age.";
    let file = pdf("/Title (The \\(small\\) pump) /CreationDate (D:20260303080000Z)", &[words, "Second page."]);
    let expected = ExtractedText {
        title: Some("The (small) pump".to_owned()),
        published: Some("2026-03-03".to_owned()),
        body: format!("{}\n\nSecond page.", words.replace('\n', " ")),
    };
    assert_eq!(read(MediaKind::Pdf, &file, None).unwrap(), expected);
    assert_eq!(InProcessPdfReader.read(file).await.unwrap(), expected);
}

#[test]
fn a_pdf_that_cannot_be_read_says_why() {
    let why = |file: &[u8]| read(MediaKind::Pdf, file, None).unwrap_err();
    assert!(why(b"<html>not found</html>").0.contains("not a PDF"));
    assert!(why(&pdf("", &["", ""])).0.contains("no text"));
    let cut = &pdf("", &["words"])[..200];
    assert!(why(cut).0.contains("damaged"));
    let catalog = "<< /Type /Catalog /Pages 2 0 R >>".to_owned();
    let pages = "<< /Type /Pages /Kids [] /Count 0 >>".to_owned();
    let lock = "<< /Filter /Standard /V 1 /R 2 /P -4 /O (0123456789abcdef0123456789abcdef) /U (0123456789abcdef0123456789abcdef) >>";
    let objects = [catalog, pages, lock.to_owned(), "<< >>".to_owned()];
    let locked = written(&objects, "/Encrypt 3 0 R /ID [(0123456789abcdef) (0123456789abcdef)]");
    assert!(why(&locked).0.contains("encrypted"), "{}", why(&locked));
}

#[test]
fn the_process_that_reads_pdf_says_all_on_its_last_line() {
    let said = |file: &[u8]| {
        let mut said = Vec::new();
        serve(file, &mut said).unwrap();
        let said = String::from_utf8(said).unwrap();
        serde_json::from_str::<serde_json::Value>(said.lines().next_back().unwrap()).unwrap()
    };
    assert_eq!(said(&pdf("/Title (T)", &["Words."])), serde_json::json!({ "title": "T", "body": "Words." }));
    assert!(said(b"nothing")["error"].as_str().unwrap().contains("not a PDF"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_comes_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        for kind in [MediaKind::Html, MediaKind::Markdown, MediaKind::Plain, MediaKind::Pdf] {
            match read(kind, &bytes, None) {
                Ok(text) => prop_assert!(text.body.len() <= 3 * bytes.len()),
                Err(ReadError(why)) => prop_assert!(!why.is_empty()),
            }
        }
    }

    #[test]
    fn tags_in_any_order_are_read(parts in proptest::collection::vec(tag(), 0..60)) {
        let body = html(&parts.concat()).body;
        prop_assert!(body.trim_end() == body && !body.starts_with('\n'));
    }
}

/// A tag, or text.
fn tag() -> impl Strategy<Value = String> {
    let names = [
        "p", "div", "table", "tr", "td", "th", "ul", "li", "a href=x", "pre", "main", "form", "b", "br", "h1",
        "script", "title", "html", "body", "head",
    ];
    prop_oneof![
        proptest::sample::select(names.to_vec()).prop_map(|name| format!("<{name}>")),
        proptest::sample::select(names.to_vec())
            .prop_map(|name| format!("</{}>", name.split(' ').next().unwrap_or(name))),
        "[a-z |\n]{0,20}",
    ]
}
