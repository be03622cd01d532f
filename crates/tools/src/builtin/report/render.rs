//! Renders Markdown as HTML. Only the elements below are emitted and all text is escaped, so the
//! result needs no sanitizing.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{
    super::markup::{escape, escape_lines},
    is_link,
};

/// The text as HTML; its headings are one level below that of its section.
pub(super) fn render(markdown: &str) -> String {
    let mut renderer = Renderer::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        renderer.take(event);
    }
    renderer.html
}

/// Opens a link if the address is safe.
pub(super) fn link(address: &str) -> String {
    format!("<a href=\"{}\" rel=\"noopener noreferrer\">", escape(address))
}

#[derive(Default)]
struct Renderer {
    html: String,
    is_head: bool,
    /// For each open link or image, whether it became a link: nested ones do not.
    links: Vec<bool>,
}

impl Renderer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Code(code) => self.say(&format!("<code>{}</code>", escape(&code))),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.say(&escape_lines(&text)),
            Event::SoftBreak => self.say("\n"),
            Event::HardBreak => self.say("<br>\n"),
            Event::Rule => self.say("<hr>\n"),
            // The remaining events are disabled by the options.
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.say("<p>"),
            Tag::Heading { level, .. } => self.say(&format!("<{}>", below_section(level))),
            Tag::BlockQuote(_) => self.say("<blockquote>\n"),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => self.say("<pre><code>"),
            Tag::HtmlBlock => self.say("<p>"),
            Tag::List(None) => self.say("<ul>\n"),
            Tag::List(Some(first)) => self.say(&format!("<ol start=\"{first}\">\n")),
            Tag::Item => self.say("<li>"),
            Tag::Table(_) => self.say("<table>\n"),
            Tag::TableHead => {
                self.is_head = true;
                self.say("<tr>");
            }
            Tag::TableRow => self.say("<tr>"),
            Tag::TableCell => self.say(if self.is_head { "<th>" } else { "<td>" }),
            Tag::Emphasis => self.say("<em>"),
            Tag::Strong => self.say("<strong>"),
            Tag::Strikethrough => self.say("<del>"),
            // An image would be loaded from elsewhere, so it becomes a link.
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let becomes_link = is_link(&dest_url) && !self.links.contains(&true);
                self.links.push(becomes_link);
                if becomes_link {
                    self.say(&link(&dest_url));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.say("</p>\n"),
            TagEnd::Heading(level) => self.say(&format!("</{}>\n", below_section(level))),
            TagEnd::BlockQuote(_) => self.say("</blockquote>\n"),
            TagEnd::CodeBlock => self.say("</code></pre>\n"),
            TagEnd::List(false) => self.say("</ul>\n"),
            TagEnd::List(true) => self.say("</ol>\n"),
            TagEnd::Item => self.say("</li>\n"),
            TagEnd::Table => self.say("</table>\n"),
            TagEnd::TableHead => {
                self.is_head = false;
                self.say("</tr>\n");
            }
            TagEnd::TableRow => self.say("</tr>\n"),
            TagEnd::TableCell => self.say(if self.is_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.say("</em>"),
            TagEnd::Strong => self.say("</strong>"),
            TagEnd::Strikethrough => self.say("</del>"),
            TagEnd::Link | TagEnd::Image => {
                let was_link = self.links.pop() == Some(true);
                self.say(if was_link { "</a>" } else { "" });
            }
            _ => {}
        }
    }

    fn say(&mut self, html: &str) {
        self.html.push_str(html);
    }
}

const fn below_section(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "h3",
        HeadingLevel::H2 => "h4",
        HeadingLevel::H3 => "h5",
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => "h6",
    }
}
