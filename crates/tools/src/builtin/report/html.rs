//! A report as a self-contained web page: no scripts, and nothing is loaded from elsewhere.

use super::{
    super::markup::escape,
    Input, ReportSource, is_link,
    render::{link, render},
};

/// The Content Security Policy of the page: inline styles and embedded images only.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE: &str = "\
:root{color-scheme:light dark}
body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
h1,h2,h3{line-height:1.25}
pre{overflow:auto;padding:.75rem;border-radius:.375rem;background:rgba(127,127,127,.15)}
blockquote{margin-left:0;padding-left:1rem;border-left:.25rem solid rgba(127,127,127,.4)}
table{border-collapse:collapse}
th,td{padding:.25rem .75rem;border:1px solid rgba(127,127,127,.4);text-align:left}
.sources{font-size:.9rem;list-style:none;padding-left:0}
@media print{body{margin:0;max-width:none}}";

/// The whole page.
pub(super) fn compose(report: &Input) -> String {
    let title = escape(report.title.trim());
    let mut page = format!(
        "<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for section in &report.sections {
        page.push_str("<section>\n");
        if !section.heading.trim().is_empty() {
            page.push_str(&format!("<h2>{}</h2>\n", escape(section.heading.trim())));
        }
        page.push_str(&render(&section.text));
        page.push_str("</section>\n");
    }
    if !report.sources.is_empty() {
        page.push_str("<section>\n<h2>Sources</h2>\n<ul class=\"sources\">\n");
        report.sources.iter().for_each(|source| page.push_str(&one(source)));
        page.push_str("</ul>\n</section>\n");
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn one(ReportSource { mark, title, source }: &ReportSource) -> String {
    let shown = escape(source);
    let place = if is_link(source) { format!("{}{shown}</a>", link(source)) } else { shown };
    format!("<li>[{}] {}: {place}</li>\n", escape(mark), escape(title))
}
