//! Writes a minimal PDF: pages of plain lines in a standard font.

/// A document with a title and a page for each list of lines. The lines are plain ASCII.
pub fn pdf(title: &str, pages: &[&[&str]]) -> Vec<u8> {
    let count = pages.len();
    let kids: Vec<String> = (0..count).map(|page| format!("{} 0 R", 5 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {count} >>", kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!("<< /Title ({}) /CreationDate (D:20260303100000Z) >>", escaped(title)),
    ];
    for (page, lines) in pages.iter().enumerate() {
        let shown: String = lines.iter().map(|line| format!("({}) Tj 0 -16 Td\n", escaped(line))).collect();
        let stream = format!("BT /F1 11 Tf 50 780 Td\n{shown}ET");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            6 + 2 * page
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()));
    }
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n{object}\nendobj\n", number + 1).into_bytes());
    }
    let table = bytes.len();
    let rows: String = places.iter().map(|place| format!("{place:010} 00000 n \n")).collect();
    let size = objects.len() + 1;
    let trailer = format!("trailer\n<< /Size {size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{table}\n%%EOF\n");
    bytes.extend(format!("xref\n0 {size}\n0000000000 65535 f \n{rows}{trailer}").into_bytes());
    bytes
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}
